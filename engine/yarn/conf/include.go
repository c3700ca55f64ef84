package conf

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// maxIncludes bounds the files that one document includes, all depths together.
const maxIncludes = 1000

// include takes in the properties of another file where they stand; of one that is not there, those of the fallback count.
//
// Source: Configuration.Parser.handleInclude.
func (r *reading) include(n *node) error {
	p, href := r.p, n.attr("href")
	refused := func(e *Error) *Error { return e.at(n.line, "<"+n.tag+">", href) }
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
		r.absent = href
		return nil
	case err != nil:
		return refused(refuse("RuntimeException", "%v", err).byReplay())
	case slices.Contains(p.within, name):
		return refused(refuse("StackOverflowError", "%s is included by itself", name))
	}
	return p.Parse(name, text)
}
