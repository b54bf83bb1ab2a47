package trust

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDefang(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a link":                  {"see [the docs](https://Docs.test/a?b#c \"title\") now", "see the docs [QUARANTINED_URL: docs.test] now"},
		"a link over two lines":   {"see [the\ndocs](\nhttps://docs.test\n'title') now", "see the\ndocs [QUARANTINED_URL: docs.test] now"},
		"an image":                {"![alt *text*](https://evil.test/a.png)", "alt *text* [QUARANTINED_URL: evil.test]"},
		"an image in a link":      {"[![build](https://a.test/b.svg)](https://b.test)", "build [QUARANTINED_URL: a.test] [QUARANTINED_URL: b.test]"},
		"a link without text":     {"[](https://evil.test)", "[QUARANTINED_URL: evil.test]"},
		"an autolink":             {"at <https://evil.test:8080/x>.", "at [QUARANTINED_URL: evil.test:8080]."},
		"a bare address":          {"at https://evil.test/x_(y), or (http://b.test).", "at [QUARANTINED_URL: evil.test], or ([QUARANTINED_URL: b.test])."},
		"a bare www":              {"at www.evil.test/x", "at [QUARANTINED_URL: www.evil.test]"},
		"an odd scheme":           {"[x](javascript:alert(1)) [y](data:text/html,z)", "x [QUARANTINED_URL: javascript:] y [QUARANTINED_URL: data:]"},
		"a scheme in entities":    {"[x](&#104;ttps&colon;//evil.test/)", "x [QUARANTINED_URL: evil.test]"},
		"a scheme of its page":    {`[x](//evil.test/a) [y](/\evil.test) [z](\\\\evil.test)`, "x [QUARANTINED_URL: evil.test] y [QUARANTINED_URL: evil.test] z [QUARANTINED_URL: evil.test]"},
		"a host behind a user":    {"https://github.com@evil.test/login", "[QUARANTINED_URL: evil.test]"},
		"a reference":             {"[one][r], [r], [r][] and ![two][r]\n\n[r]: https://evil.test 'title'\n", "one [QUARANTINED_URL: evil.test], r [QUARANTINED_URL: evil.test], r [QUARANTINED_URL: evil.test] and two [QUARANTINED_URL: evil.test]\n\n[r]: [QUARANTINED_URL: evil.test] 'title'\n"},
		"a definition in a quote": {"> [r]: <https://evil.test>\n> [r]", "> [r]: [QUARANTINED_URL: evil.test]\n> r [QUARANTINED_URL: evil.test]"},
		"HTML":                    {`<a href="https://evil.test">x</a> <img src='//evil.test/p'> <a href=https://evil.test>`, `<a href="[QUARANTINED_URL: evil.test]">x</a> <img src='[QUARANTINED_URL: evil.test]'> <a href="[QUARANTINED_URL: evil.test]">`},
		"an HTML block":           {"<div>\nsee https://evil.test\n</div>", "<div>\nsee [QUARANTINED_URL: evil.test]\n</div>"},
		"an HTML comment":         {"<!-- go to https://evil.test -->", "<!-- go to [QUARANTINED_URL: evil.test] -->"},
		"a link around a link":    {"[a [b](https://b.test) c](https://c.test)", "a b [QUARANTINED_URL: b.test] c [QUARANTINED_URL: c.test]"},
		"a target after a marker": {"[a](https://a.test)(//evil.test)", "a [QUARANTINED_URL: a.test] (//evil.test)"},
		"a name for a marker":     {"https://a.test: //evil.test", "[QUARANTINED_URL: a.test] : //evil.test"},
		"an address put together": {"htt[p://evil.test](https://a.test)", "[QUARANTINED_URL: evil.test] [QUARANTINED_URL: a.test]"},
		"a heading put together":  {"[# x](https://a.test)", `\[# x\] [QUARANTINED_URL: a.test]`},
		"a fence put together":    {"[```\n](https://a.test)\n```\nhttps://b.test\n```", "\\[```\n\\] [QUARANTINED_URL: a.test]\n```\nhttps://b.test\n```"},
		"a list of links":         {"- [`x.go`](https://a.test)\n- [**bold**](https://b.test)\n- [#12](https://c.test)", "- `x.go` [QUARANTINED_URL: a.test]\n- **bold** [QUARANTINED_URL: b.test]\n- \\[#12\\] [QUARANTINED_URL: c.test]"},
		"hidden characters":       {"pay\u200bload \u202eevil\u202c \U000E0061\U000E0062\U000E0063", "pay[U+200B]load [U+202E]evil[U+202C] [U+E0061,U+E0062,U+E0063]"},
		"a run of them":           {strings.Repeat("\u200b", 1000), "[U+200B,+999]"},
		"a hidden target":         {"\u200b(//evil.test)", "[U+200B] (//evil.test)"},
		"a scheme with a gap":     {"ht\u200btps://evil.test", "ht[U+200B]tps://evil.test"},
		"a number in a sentence":  {"see [#12](https://a.test)", "see #12 [QUARANTINED_URL: a.test]"},
		"a detour":                {"[x](/go?to=https://evil.test)", "x [QUARANTINED_URL: evil.test]"},
		"an IPv6 address":         {"http://[::1]:80/x", "[QUARANTINED_URL: ::1:80]"},
		"two of a kind":           {"a\u200b\u200bb", "a[U+200B,+1]b"},
		"a name like its target":  {"[a\\]: //b.test]: //b.test", "[a\\]: //b.test]: [QUARANTINED_URL: b.test]"},
		"a mail address":          {"<mailto:me@evil.test> <me@evil.test>", "[QUARANTINED_URL: mailto:] <me@evil.test>"},
		"a table":                 {"| a | b |\n|---|---|\n| [x](https://a.test) | `https://b.test` |", "| a | b |\n|---|---|\n| x [QUARANTINED_URL: a.test] | `https://b.test` |"},
		"code cut by a table":     {"| a | b |\n|---|---|\n| ` | https://b.test ` |", "| a | b |\n|---|---|\n| ` | [QUARANTINED_URL: b.test] ` |"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := defang(Markdown, test.text); got != test.want {
				t.Errorf("defanged\n %q\nis\n %q, want\n %q", test.text, got, test.want)
			}
			if got := defang(Markdown, test.want); got != test.want {
				t.Errorf("twice is not once:\n %q\n %q", test.want, got)
			}
		})
	}
}

// TestDefangLeavesAlone is A46, and every shape of code.
func TestDefangLeavesAlone(t *testing.T) {
	for name, text := range map[string]string{
		"generics":         "Use `Vec<T>` when a<b && c>d, see <workspace_id>",
		"more of them":     "Promise<string> and Map<string, Vec<T>>, if a<b { x := <-ch } else { y[i](z) }",
		"entities":         `Tom & "Jerry" &amp; &lt;b&gt; &copy;`,
		"a code span":      "run `curl https://evil.test/\u200b` or ``[a](https://evil.test) ` ``",
		"a fence":          "```sh https://evil.test\ncurl https://evil.test \u202e\n[a](https://evil.test)\n```\n",
		"a tilde fence":    "~~~\n<a href=https://evil.test>\n~~~",
		"an open fence":    "```\nhttps://evil.test",
		"a fence in lists": "1. a\n   - b\n     ```\n     https://evil.test\n     ```\n",
		"a quoted fence":   "> ```\n> https://evil.test\n> ```\n",
		"indented code":    "a\n\n    curl https://evil.test\n\n\tcurl https://evil.test\n",
		"CRLF":             "a\r\n\r\n```\r\nhttps://evil.test\r\n```\r\n",
		"links that stay":  "[a](docs/a.md) [b](#b) [c](../c?d=e#f) ![d](/d.png) [e][] [f]()\n\n[e]: ./e",
		"mail and people":  "<me@example.test>, @octocat, #12, octo-org/hello#3",
		"task lists":       "- [ ] open\n- [x] done\n\n[not a link] [nor](this one)",
		"emoji":            "👩‍💻 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏳️‍🌈",
		"Persian, Hindi":   "می\u200cخواهم क्\u200dष",
		"a variant of Han": "葛\U000E0100城",
		"colons":           "a::b http: https:/ file:// x://y ftp:",
		"www in a word":    "xwww.evil.test, www. and www.",
		"brackets":         strings.Repeat("[", maxBrackets-1) + "\n\n" + strings.Repeat("[", maxBrackets-1),
		"long numbers":     strings.Repeat("1234567890. ", maxNesting+1),
		"empty":            "",
		"blank":            " \t\n",
	} {
		t.Run(name, func(t *testing.T) {
			if got := defang(Markdown, text); got != text {
				t.Errorf("defanged\n %q\nis\n %q", text, got)
			}
		})
	}
}

func TestDefangTitles(t *testing.T) {
	for text, want := range map[string]string{
		"Tom & \"Jerry\" <b>":            "Tom & \"Jerry\" <b>",
		"    see https://evil.test":      "    see [QUARANTINED_URL: evil.test]",
		"`https://code.test` stays":      "`https://code.test` stays",
		"# [a](https://evil.test)\u200b": "# a [QUARANTINED_URL: evil.test] [U+200B]",
		"[a]: https://evil.test":         "[a]: [QUARANTINED_URL: evil.test]",
	} {
		if got := defang(Line, text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestDefangLeavesSourceAlone(t *testing.T) {
	const diff = "+\tget(\"https://evil.test\") // \u202e"
	if got := defang(Source, diff); got != diff {
		t.Errorf("program text is %q", got)
	}
}

// TestDefangGivesUp: what cannot be parsed in time, or reads differently
// without its links, is withheld.
func TestDefangGivesUp(t *testing.T) {
	for name, text := range map[string]string{
		"quotes in quotes":        strings.Repeat(">", maxNesting+1) + " a",
		"lists in lists":          strings.Repeat("- 1. ", maxNesting) + " a",
		"brackets in brackets":    strings.Repeat("[", maxBrackets+1),
		"brackets after many":     strings.Repeat("]", maxBrackets) + strings.Repeat("[", maxBrackets+1),
		"comments that stay open": strings.Repeat("a <!-- ", 9_000),
		"links without an end":    strings.Repeat("[a](b", 12_000),
		"code in an attribute":    "<a rel=xhttps://a.test title=\"`\">` https://b.test `",
	} {
		if got := defang(Markdown, text); got != unreadable {
			t.Errorf("%s: %.200q", name, got)
		}
	}
	for name, text := range map[string]string{
		"quotes": strings.Repeat(">", maxNesting) + " a", "brackets": strings.Repeat("[", maxBrackets),
		"a rule": strings.Repeat("-", 300) + "\n" + strings.Repeat("*", 300), "numbers": strings.Repeat("1", 300) + ".",
	} {
		if got := defang(Markdown, text); got != text {
			t.Errorf("%s: %.200q", name, got)
		}
	}
}

func TestABrokenParserIsNoPanic(t *testing.T) {
	if d := guarded(func() *document { panic("made for this test") }); d != nil {
		t.Errorf("a document came of it: %+v", d)
	}
}

// FuzzDefang: no link and no hidden character is left outside code, code is
// the same, twice is once, and valid text stays valid.
func FuzzDefang(f *testing.F) {
	for _, text := range hostileTexts(f) {
		f.Add(text, true)
		f.Add(text, false)
	}
	for _, text := range []string{"[a](https://b)(//c)", "`\u200b` \u200b", "[[a](//b)](//c)", "<a href=//b>", "[a]:\n<b:c>\n[a]", "|a|\n|-|\n|`|`|", "> [\n> a](b:c)", "\\[a](b:c)", "![a][b]\n\n[b]: c:d"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, body bool) {
		form := Line
		if body {
			form = Markdown
		}
		once := defang(form, text)
		if once == unreadable {
			return
		}
		if twice := defang(form, once); twice != once {
			t.Errorf("twice is not once:\n %q\n %q\n %q", text, once, twice)
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Errorf("%q is no longer valid: %q", text, once)
		}
		before, after := parse(form, text), parse(form, once)
		if code := codeOf(before); !slices.Equal(code, codeOf(after)) {
			t.Errorf("the code of %q is %q, was %q", text, codeOf(after), code)
		}
		for _, link := range after.links {
			if !staysHere(link.target) {
				t.Errorf("%q still leads to %q: %q", text, link.target, once)
			}
		}
		for _, run := range hiddenRuns(once) {
			if !after.inCode(run.start) {
				t.Errorf("%q still hides %q at %d: %q", text, run.first, run.start, once)
			}
		}
	})
}

func codeOf(d *document) []string {
	var all []string
	for _, code := range d.code {
		all = append(all, code.of(d.source))
	}
	return all
}

func BenchmarkDefang(b *testing.B) {
	for name, text := range bulk(64 << 10) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				defang(Markdown, text)
			}
		})
	}
}

func BenchmarkInspect(b *testing.B) {
	for name, text := range bulk(64 << 10) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				inspect(Markdown, text)
			}
		})
	}
}

// bulk are long texts, the first as people write and the others made to be slow.
func bulk(size int) map[string]string {
	texts := map[string]string{
		"prose":    "Some words about `code` and a [link](https://example.test/x) here.\n",
		"comments": "a <!-- ", "definitions": "[a]: <b\n", "instructions": "a <?", "tags": "<a href=x ", "tables": "a|b\n-|-\n",
		"hidden": "\u200ba", "quotes": strings.Repeat("> ", maxNesting) + "a\n", "brackets": "[", "emphasis": "*a_ ", "addresses": "https://a ",
	}
	for name, text := range texts {
		texts[name] = strings.Repeat(text, size/len(text))
	}
	return texts
}
