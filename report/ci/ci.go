// Package ci writes checks in the forms that systems for continuous integration read: annotations of GitHub, JUnit's XML, tables of Markdown.
package ci

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Level is how much attention a check asks for.
type Level string

// The levels. An Error fails.
const (
	OK      Level = ""
	Notice  Level = "notice"
	Warning Level = "warning"
	Error   Level = "error"
)

// A Check is one thing that was looked at.
type Check struct {
	Name    string
	Level   Level
	Text    string  // what was found, in words
	Seconds float64 // it took
}

// WriteGitHub writes a workflow command for each check of command that asks for attention.
//
// Source: GitHub's documentation, "Workflow commands for GitHub Actions".
func WriteGitHub(w io.Writer, command string, checks []Check) error {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, c := range checks {
		if c.Level == OK {
			continue
		}
		if _, err := fmt.Fprintf(w, "::%s title=%s::%s\n", c.Level, property.Replace(command+" "+c.Name), escape.Replace(c.Text)); err != nil {
			return err
		}
	}
	return nil
}

type (
	suite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Cases    []test   `xml:"testcase"`
	}
	test struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Seconds string   `xml:"time,attr"`
		Failure *failure `xml:"failure,omitempty"`
		Out     string   `xml:"system-out,omitempty"`
	}
	failure struct {
		Message string `xml:"message,attr"`
	}
)

// WriteJUnit writes the checks of command as JUnit's XML: a test for each.
func WriteJUnit(w io.Writer, command string, checks []Check) error {
	s := suite{Name: command, Tests: len(checks)}
	for _, c := range checks {
		t := test{Name: c.Name, Class: strings.ReplaceAll(command, " ", "."), Seconds: fmt.Sprintf("%.3f", c.Seconds)}
		if c.Level == Error {
			s.Failures++
			t.Failure = &failure{c.Text}
		} else {
			t.Out = c.Text
		}
		s.Cases = append(s.Cases, t)
	}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

// Cell returns text for a cell of a Markdown table.
func Cell(text string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text) }
