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
		"\nTotal Nodes:3\n": "what yarn node -list prints, without the sizes",
		"2026-01-02 03:04:05,678 INFO client.RMProxy: Connecting to ResourceManager\r\nTotal Nodes:3\r\n": "what yarn node -list prints, without the sizes",
		"Queue Information : \nQueue Name : etl\n\tState : RUNNING\n":                                     "what yarn queue -status prints",
		"======================\nQueue Name : etl \n":                                                     "what mapred queue -list prints",
		"Application Report : \n\tApplication-Id : application_1_0001\n":                                  "what yarn application -status prints",
		"Node Report : \n\tNode-Id : host:45454\n":                                                        "what yarn node -status prints",
		"Total jobs:0\n":                        "what mapred job -list prints",
		"job,submit\nTotal jobs of the day,3\n": "",
		"24/01/02 03:04:05 INFO SparkContext: Running Spark version 3.5.5\n":                                                                                   "a program's own log, from which no times of tasks are taken",
		"2024-01-02 03:04:05,123 INFO org.apache.hadoop.yarn.server.resourcemanager.RMAppManager$ApplicationSummary: appId=application_1_0001,name=a,user=b\n": "the ResourceManager's own log with summaries of applications",
		"2024-01-02T03:04:05,123 [main] WARN  a.b.C: x\n":                                                                                                      "a program's own log",
		"Container: container_e01_1_0001_01_000001 on h1_45454\n====\n":                                                                                        "what yarn logs prints of containers",
		"2024-01-02 03:04:05,12,INFO\n":                                                                                                                        "",
		"<":                                                                                                                                                    "",
		`{"Event":"x"}`:                                                                                                                                        "",
		`{"version":1,"sources":{},"cluster":{},"polls":{},"counts":{}}`:                                                                                       "the state of replay record",
		`{"apps":null}`:                                                                                                                                        "what the ResourceManager answers over REST (apps)",
		`{"nodes":{"node":[{"id":"a:1"}]}}`:                                                                                                                    "nodes, as the ResourceManager answers over REST",
	} {
		if got := What([]byte(text)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s\nis %q, want %q", text, got, want)
		}
	}
}
