package yarn

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"replay/bench/conform/golden"
	"replay/engine/yarn/conf"
)

// hadoopXML are texts of Hadoop's configuration files, read one after the other: refused, or each key with its value.
//
// Source: Configuration.Parser, Configuration.loadProperty, Configuration.substituteVars.
var hadoopXML = golden.Kind{
	Name:  "hadoop xml",
	Of:    golden.AnswersOf("Configuration"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "hadoop_xml" },
	Run:   golden.Cases(runHadoopXML),
}

type hadoopXMLCase struct {
	ID       int
	Files    []string
	Included map[string]string // files that may be included, by name
	Refused  string            // the class of what is thrown
	Values   map[string]string
}

func runHadoopXML(c *hadoopXMLCase, out *golden.Results) {
	id := fmt.Sprint(c.ID)
	p := conf.NewProperties()
	p.Include = func(href string) ([]byte, string, error) {
		text, ok := c.Included[href]
		if !ok {
			return nil, "", fs.ErrNotExist
		}
		return []byte(text), href, nil
	}
	var err error
	for i, text := range c.Files {
		err = errors.Join(err, p.Parse(fmt.Sprintf("f%d.xml", i), []byte(text)))
	}
	var got map[string]string
	if err == nil {
		got, err = p.Resolve()
	}
	if golden.Refused(id, c.Refused, err, nil, out) {
		return
	}
	if !maps.Equal(got, c.Values) {
		out.AddDifferent(golden.Difference{Case: id, Expected: c.Values, Got: got})
		return
	}
	out.AddEqual()
}
