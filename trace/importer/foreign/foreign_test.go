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
		"<allocations/>":                    "an allocation file of the FairScheduler (",
		"<!DOCTYPE html>\n<html>":           "",
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
