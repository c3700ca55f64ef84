package remark

import "regexp"

// placeholder is what stands in a template for a value that is filled in later: of Jinja, ERB, FreeMarker, Template
// Toolkit and shells, or a name between two @.
var placeholder = regexp.MustCompile(`\{\{|\{%|<%|<#|\[%|\$\{|#\{|@[A-Za-z][\w.]*@`)

// Placeholder returns the place of the first placeholder of a template in a text, -1 for none.
func Placeholder(text []byte) int {
	if at := placeholder.FindIndex(text); at != nil {
		return at[0]
	}
	return -1
}

// HasPlaceholder reports whether a text has a placeholder of a template.
func HasPlaceholder(text string) bool { return placeholder.MatchString(text) }

// NotFilledIn is what to say of one.
const NotFilledIn = "this is a template whose variables are not filled in, want the file that is made of it"
