// Package hadoopxml writes and reads configuration files of Hadoop: settings on one side, the text of a file such as yarn-site.xml on the other.
package hadoopxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
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

// declaration is how a text of XML begins: Hadoop writes version 1.0 or 1.1, in UTF-8.
var declaration = regexp.MustCompile(`^\s*<\?xml[^>]*\?>`)

// control matches references to characters that no XML has and settings do, such as the &#1; that Hive separates fields by.
var control = regexp.MustCompile(`&#(0*([0-8]|1[124-9]|2[0-9]|3[01])|[xX]0*([0-8bBcCeEfF]|1[0-9a-fA-F]));`)

// Unmarshal returns the settings of a file, by key; of one that is there twice the last. What they refer to as ${KEY} is put in their place where the file has it.
func Unmarshal(text []byte) (map[string]string, error) {
	in := xml.NewDecoder(bytes.NewReader(control.ReplaceAll(declaration.ReplaceAll(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), nil), []byte(" "))))
	settings := map[string]string{}
	root := false
	for {
		t, err := in.Token()
		if err == io.EOF && root {
			break
		}
		if err == io.EOF {
			err = errors.New("no element, want <configuration>")
		}
		if err != nil {
			return nil, err
		}
		start, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case !root && start.Name.Local != "configuration":
			return nil, errors.New("begins with <" + start.Name.Local + ">, want <configuration>")
		case !root:
			root = true
		case start.Name.Local == "property":
			var p struct {
				Name  string  `xml:"name"`
				Value *string `xml:"value"`
			}
			if err := in.DecodeElement(&p, &start); err != nil {
				return nil, err
			}
			if p.Value != nil {
				settings[strings.TrimSpace(p.Name)] = *p.Value
			}
		default:
			if err := in.Skip(); err != nil {
				return nil, err
			}
		}
	}
	filled := make(map[string]string, len(settings))
	for k, v := range settings {
		filled[k] = fillIn(v, settings)
	}
	return filled, nil
}

// reference is a reference to another setting.
var reference = regexp.MustCompile(`\$\{([^}$\s]+)\}`)

// longest bounds a value that refers to others.
const longest = 1 << 16

// fillIn replaces references as often as Hadoop does.
//
// Source: Configuration.substituteVars.
func fillIn(v string, settings map[string]string) string {
	for range 20 {
		at := reference.FindStringSubmatchIndex(v)
		if at == nil {
			break
		}
		to, ok := settings[v[at[2]:at[3]]]
		if !ok || len(v)+len(to) > longest {
			break
		}
		v = v[:at[0]] + to + v[at[1]:]
	}
	return v
}
