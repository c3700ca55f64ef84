package conf

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"replay/engine/remark"
)

// maxIncludes bounds the files that one document includes, all depths together.
const maxIncludes = 1000

// include takes in the properties of another file where they stand, or, if there is no such file, those of the fallback.
//
// Source: Configuration.Parser.handleInclude.
func (p *Properties) include(n *node) error {
	href := n.attr("href")
	refused := func(e *Error) error { return e.at(n.line, "<"+n.tag+">", href) }
	switch {
	case href == "":
		return nil
	case p.Include == nil:
		return refused(refuse("RuntimeException", "another file is included, want all properties in one file").byReplay())
	case strings.Contains(href, "://") && !strings.HasPrefix(href, "file://"):
		return refused(refuse("RuntimeException", "includes from a network are not followed, want a file").byReplay())
	}
	if p.included++; p.included > maxIncludes {
		return refused(refuse("RuntimeException", "more than %d files are included", maxIncludes).byReplay())
	}
	text, name, err := p.Include(href)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.fallback(n, href)
	case err != nil:
		return refused(refuse("RuntimeException", "%v", err).byReplay())
	case slices.Contains(p.within, name):
		return refused(refuse("StackOverflowError", "%s is included by itself", name))
	}
	return p.Parse(name, text)
}

// fallback takes in the properties of the fallback of an include whose file is not there.
func (p *Properties) fallback(n *node, href string) error {
	for c := range n.elements {
		if c.tag[strings.Index(c.tag, ":")+1:] == "fallback" {
			p.remark(remark.NoEffect, n.line, "<"+n.tag+">", "there is no "+href+", the fallback counts")
			return p.configuration(c)
		}
	}
	e := refuse("IOException", "Fetch fail on include for '%s' with no fallback while loading '%s'", href, p.within[0])
	return e.instead("the file beside it, or an xi:fallback inside the element").at(n.line, "<"+n.tag+">", href)
}
