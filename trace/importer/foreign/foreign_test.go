package foreign

import (
	"strings"
	"testing"
)

func TestWhat(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"configuration.xsl\"?>\n<!-- <allocations> -->\n<configuration>": "configuration of Hadoop (replay run",
		"\xef\xbb\xbf<configuration xmlns:xi=\"x\">": "configuration of Hadoop",
		"<allocations/>":                     "an allocation file of the FairScheduler (",
		"<!DOCTYPE html>\n<html>":            "a web page, as a service answers that wants a login",
		"<?xml version=\"1.0\"?><apps><app>": "what the ResourceManager answers over REST, in XML, and which names no tasks",
		"<nodes><node>":                      "beside its input in JSON",
		"<svg>":                              "",
		"Total number of applications (application-types: [], states: [] and tags: []):2\n": "what yarn application -list prints, which names no tasks",
		"\nTotal Nodes:3\n":                 "what yarn node -list prints, without the sizes",
		"<":                                 "",
		`{"Event":"x"}`:                     "",
		`{"apps":null}`:                     "what the ResourceManager answers over REST (apps)",
		`{"nodes":{"node":[{"id":"a:1"}]}}`: "nodes, as the ResourceManager answers over REST",
	} {
		if got := What([]byte(text)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s\nis %q, want %q", text, got, want)
		}
	}
}
