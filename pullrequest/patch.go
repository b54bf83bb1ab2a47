package pullrequest

import (
	"strconv"
	"strings"

	"github.com/github-workflow-mcp/github-workflow-mcp/page"
)

// patch is the part of a unified diff that is about one file.
type patch struct {
	text           string // as it stands in the diff; the texts joined are the diff
	path, previous string // previous is "" unless it was renamed or copied
	status         string // as the REST API has it: added, removed, modified, …
	additions      int
	deletions      int
	binary         bool
	hunks          []int // where each hunk starts in text
}

const (
	fileHeader = "diff --git "
	hunkHeader = "@@ "
)

// splitDiff takes a diff apart by files. No line of a file's content starts
// like a header, since each has its sign before it. What stands before the
// first header belongs to the first file.
func splitDiff(diff string) []patch {
	var files []patch
	start := 0
	for at := nextLine(diff, fileHeader, lineEnd(diff, 0)); at >= 0; at = nextLine(diff, fileHeader, lineEnd(diff, at)) {
		if start > 0 || strings.HasPrefix(diff, fileHeader) {
			files = append(files, readPatch(diff[start:at]))
			start = at
		}
	}
	if start < len(diff) {
		files = append(files, readPatch(diff[start:]))
	}
	return files
}

// lineEnd is where the line behind that of position at starts.
func lineEnd(text string, at int) int {
	if end := strings.IndexByte(text[at:], '\n'); end >= 0 {
		return at + end + 1
	}
	return len(text)
}

// nextLine is where the first line with the given start begins, from the line
// start at on; -1 when there is none.
func nextLine(text, start string, at int) int {
	if strings.HasPrefix(text[at:], start) {
		return at
	}
	if found := strings.Index(text[at:], "\n"+start); found >= 0 {
		return at + found + 1
	}
	return -1
}

// readPatch reads the part of one file.
func readPatch(text string) patch {
	p := patch{text: text, status: "modified"}
	at := 0
	for at < len(text) {
		end := lineEnd(text, at)
		line := strings.TrimSuffix(text[at:end], "\n")
		switch {
		case strings.HasPrefix(line, hunkHeader):
			p.hunks = append(p.hunks, at)
		case len(p.hunks) == 0:
			p.readHeader(line)
		case strings.HasPrefix(line, "+"):
			p.additions++
		case strings.HasPrefix(line, "-"):
			p.deletions++
		}
		at = end
	}
	return p
}

// readHeader reads one line before the first hunk.
func (p *patch) readHeader(line string) {
	word := func(start string) (string, bool) { return strings.CutPrefix(line, start) }
	if names, ok := word(fileHeader); ok {
		p.path = nameTwice(names)
	} else if _, ok := word("new file mode "); ok {
		p.status = "added"
	} else if _, ok := word("deleted file mode "); ok {
		p.status = "removed"
	} else if _, ok := word("new mode "); ok && p.status == "modified" {
		p.status = "changed"
	} else if name, ok := word("rename from "); ok {
		p.status, p.previous = "renamed", unquote(name)
	} else if name, ok := word("copy from "); ok {
		p.status, p.previous = "copied", unquote(name)
	} else if name, ok := word("rename to "); ok {
		p.path = unquote(name)
	} else if name, ok := word("copy to "); ok {
		p.path = unquote(name)
	} else if name, ok := word("--- "); ok {
		p.named(name, "a/")
	} else if name, ok := word("+++ "); ok {
		p.named(name, "b/")
	} else if strings.HasPrefix(line, "Binary files ") || line == "GIT binary patch" {
		p.binary = true
		p.contentChanged()
	}
}

// named takes a name from a line above the hunks; /dev/null is none.
func (p *patch) named(name, prefix string) {
	p.contentChanged()
	name, _, _ = strings.Cut(name, "\t") // git ends a name with blanks so
	if path, ok := strings.CutPrefix(unquote(name), prefix); ok {
		p.path = path
	}
}

// contentChanged is for a file of which more than the mode changed.
func (p *patch) contentChanged() {
	if p.status == "changed" {
		p.status = "modified"
	}
}

// nameTwice reads "a/NAME b/NAME", where the name may hold blanks. It is "" when
// the two differ: then other lines name the file.
func nameTwice(names string) string {
	if strings.HasPrefix(names, `"`) {
		if first, _, ok := strings.Cut(names[1:], `" "`); ok {
			return strings.TrimPrefix(unquote(`"`+first+`"`), "a/")
		}
		return ""
	}
	half := len(names) / 2
	if len(names)%2 == 0 || len(names) < 5 || names[half] != ' ' {
		return ""
	}
	first, second := strings.TrimPrefix(names[:half], "a/"), strings.TrimPrefix(names[half+1:], "b/")
	if first != second {
		return ""
	}
	return first
}

// unquote reads a name as git writes it: in quotes and with octal bytes when it
// holds anything unusual.
func unquote(name string) string {
	if len(name) < 2 || name[0] != '"' || name[len(name)-1] != '"' {
		return name
	}
	if plain, err := strconv.Unquote(name); err == nil {
		return plain
	}
	return name
}

// cut is where a slice of at most n bytes from offset on ends: behind a whole
// hunk, else behind a whole line, else behind a character.
func (p patch) cut(offset, n int) int {
	limit := offset + n
	if limit >= len(p.text) {
		return len(p.text)
	}
	for i := len(p.hunks) - 1; i > 0; i-- { // the first hunk starts behind the header alone
		if p.hunks[i] <= limit && p.hunks[i] > offset {
			return p.hunks[i]
		}
	}
	if line := strings.LastIndexByte(p.text[offset:limit], '\n'); line >= 0 {
		return offset + line + 1
	}
	return offset + len(page.CutText(p.text[offset:], n))
}

// span is a range of line numbers, both ends included.
type span struct{ first, last int }

// lines are the ranges of lines that the hunks show, of the old text (LEFT) and
// of the new one (RIGHT): what an inline comment can be about.
func (p patch) lines() map[string][]span {
	shown := map[string][]span{}
	for _, at := range p.hunks {
		fields := strings.Fields(p.text[at:lineEnd(p.text, at)])
		if len(fields) < 3 {
			continue
		}
		for side, field := range map[string]string{"LEFT": strings.TrimPrefix(fields[1], "-"), "RIGHT": strings.TrimPrefix(fields[2], "+")} {
			first, count, both := strings.Cut(field, ",")
			from, err := strconv.Atoi(first)
			size := 1
			if both && err == nil {
				size, err = strconv.Atoi(count)
			}
			if err == nil {
				shown[side] = append(shown[side], span{from, from + size - 1})
			}
		}
	}
	return shown
}
