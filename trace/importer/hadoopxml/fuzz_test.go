package hadoopxml

import (
	"maps"
	"strings"
	"testing"
)

// FuzzUnmarshal: whatever a file holds, it is refused or its settings come back from a file that has them.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range []string{
		"<?xml version=\"1.1\"?><configuration><property><name>a</name><value>${b}&#1;</value></property><property><name>b</name><value> 4\n</value><final>true</final></property></configuration>",
		"<configuration><a/><property/></configuration>", "<html/>", "\xef\xbb\xbf<configuration>", "<configuration><property><name>a</name><value>&#13;&#xD;\r\n</value></property></configuration>",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		settings, err := Unmarshal(text)
		if err != nil {
			return
		}
		for _, v := range settings {
			if len(v) > max(longest, len(text)) {
				t.Fatalf("a value of %d bytes, from %d of text", len(v), len(text))
			}
			if strings.Contains(v, "${") { // which may go on where it was given up
				return
			}
		}
		again, err := Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Unmarshal(again); err != nil || !maps.Equal(got, settings) {
			t.Errorf("%q, %v, want %q", got, err, settings)
		}
	})
}
