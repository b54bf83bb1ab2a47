package trust

import (
	"html"
	"strings"
)

const (
	commentStart = "<!--"
	commentEnd   = "-->"
)

// comments finds the HTML comments of a document.
func (d *document) comments() []span {
	var found []span
	for _, part := range d.html {
		for at := part.start; at < part.end; {
			start := strings.Index(d.source[at:part.end], commentStart)
			if start < 0 {
				break
			}
			start += at
			at = part.end
			if end := strings.Index(d.source[start+len(commentStart):part.end], commentEnd); end >= 0 {
				at = start + len(commentStart) + end + len(commentEnd)
			}
			found = append(found, span{start, at})
		}
	}
	return found
}

// attributeLinks finds the attributes of a piece of HTML that lead somewhere.
func attributeLinks(source string, part span) []link {
	var found []link
	for at := part.start; at < part.end; {
		open := strings.IndexByte(source[at:part.end], '<')
		if open < 0 {
			break
		}
		at += open + 1
		name := tagName(source[at:part.end])
		if name == "" {
			continue
		}
		at += len(name)
		var links []link
		links, at = tagLinks(source, at, part.end)
		for _, link := range links {
			link.image = strings.EqualFold(name, "img")
			if strings.EqualFold(name, "a") {
				link.label = anchorText(source, at)
			}
			found = append(found, link)
		}
	}
	return found
}

func tagName(text string) string {
	n := 0
	for n < len(text) && (isAlphanumeric(text[n]) || text[n] == '-') {
		n++
	}
	return text[:n]
}

// tagLinks reads the attributes of one tag and returns where it ends.
func tagLinks(source string, at, end int) (found []link, after int) {
	for at < end && source[at] != '>' {
		if source[at] != '=' {
			at++
			continue
		}
		name := attributeName(source[:at])
		value, next := attributeValue(source, at+1, end)
		if leads(name) && value.end > value.start {
			found = append(found, link{span: value, form: attribute, target: html.UnescapeString(value.of(source))})
		}
		at = next
	}
	return found, min(at+1, end)
}

func attributeName(before string) string {
	before = strings.TrimRight(before, " \t\r\n")
	start := len(before)
	for start > 0 && (isAlphanumeric(before[start-1]) || strings.IndexByte("-_:.", before[start-1]) >= 0) {
		start--
	}
	return strings.ToLower(before[start:])
}

// attributeValue is the value behind an equals sign, without its quotes, and
// where it ends with them.
func attributeValue(source string, at, end int) (value span, next int) {
	for at < end && strings.IndexByte(" \t\r\n", source[at]) >= 0 {
		at++
	}
	if at < end && (source[at] == '"' || source[at] == '\'') {
		length := strings.IndexByte(source[at+1:end], source[at])
		if length < 0 {
			return span{at + 1, end}, end
		}
		return span{at + 1, at + 1 + length}, at + length + 2
	}
	length := strings.IndexAny(source[at:end], " \t\r\n>")
	if length < 0 {
		length = end - at
	}
	return span{at, at + length}, at + length
}

// leads reports whether an attribute holds an address.
func leads(name string) bool {
	switch name {
	case "href", "src", "srcset", "poster", "action", "formaction", "background", "cite", "longdesc", "data", "xlink:href", "ping":
		return true
	}
	return false
}

const maxAnchor = 300

// anchorText is what stands between <a …> and </a>.
func anchorText(source string, at int) span {
	limit := min(len(source), at+maxAnchor)
	end := strings.Index(source[at:limit], "</")
	if end < 0 {
		return span{}
	}
	return span{at, at + end}
}
