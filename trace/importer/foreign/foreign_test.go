package foreign

import (
	"strings"
	"testing"
)

func TestWhat(t *testing.T) {
	node := func(used, free, cores, idle string) string {
		return `{"rack":"/r","state":"RUNNING","usedMemoryMB":` + used + `,"availMemoryMB":` + free + `, "usedVirtualCores" : ` + cores + `,"availableVirtualCores":` + idle + `,"numRunningOpportContainers":0}`
	}
	for text, want := range map[string]string{
		"": "",
		"<?xml version=\"1.0\"?>\n<?xml-stylesheet href=\"configuration.xsl\"?>\n<!-- <allocations> -->\n<configuration>": "configuration of Hadoop (replay run",
		"\xef\xbb\xbf<configuration xmlns:xi=\"x\">": "configuration of Hadoop",
		"<allocations/>":          "an allocation file of the FairScheduler (",
		"<!DOCTYPE html>\n<html>": "",
		"<":                       "",
		`{"Event":"x"}`:           "",
		`{"apps":null}`:           "what the ResourceManager answers over REST (apps)",
		`{"nodes":{"node":[` + node("1024", "2048", "1", "3"): "nodes, as the ResourceManager answers over REST (of 3072 MiB and 4 vcores: --node-mem 3072 --node-vcores 4 makes them so)",
		`{"nodes":{"node":[` + node("0", "0", "0", "0") + "," + node("0", "2048", "0", "2") + "," + node("2048", "0", "1", "1") + "," + node("1", "1", "1", "0") + "]}}": "(of 2048 MiB and 2 vcores, 2 MiB and 1 vcores: --node-mem 2048 --node-vcores 2 makes them so)",
		`{"nodes":{"node":[` + node("1", "1", "1", "1") + "," + node("2", "2", "1", "1") + "," + node("3", "3", "1", "1") + "," + node("4", "4", "1", "1") + "]}}":       "6 MiB and 2 vcores, others: --node-mem 2 ",
		`{"nodes":{"node":[{"id":"a:1"}]}}`: "nodes, as the ResourceManager answers over REST",
	} {
		if got := What([]byte(text)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s\nis %q, want %q", text, got, want)
		}
	}
}
