// Package hadoopxml writes configuration files of Hadoop: settings go in, the text of a file such as yarn-site.xml comes out.
package hadoopxml

import (
	"encoding/xml"
	"maps"
	"slices"
)

// Marshal returns the file that has these settings, by key: equal settings give equal bytes.
func Marshal(settings map[string]string) ([]byte, error) {
	type property struct {
		Name  string `xml:"name"`
		Value string `xml:"value"`
	}
	conf := struct {
		XMLName    xml.Name   `xml:"configuration"`
		Properties []property `xml:"property"`
	}{}
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		conf.Properties = append(conf.Properties, property{k, settings[k]})
	}
	text, err := xml.MarshalIndent(conf, "", "  ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}
