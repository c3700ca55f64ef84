package hadoopxml

import (
	"maps"
	"testing"

	"replay/engine/yarn/conf"
)

// Settings come back from the file as the parser of YARN's files reads them, whatever is in a value.
func TestMarshal(t *testing.T) {
	want := map[string]string{"b.key": "<a> & \"b\"", "a.key": "1"}
	text, err := Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	p := conf.NewProperties()
	if err := p.Parse("site.xml", text); err != nil {
		t.Fatal(err)
	}
	if got, err := p.Resolve(); err != nil || !maps.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if again, err := Marshal(maps.Clone(want)); err != nil || string(again) != string(text) {
		t.Errorf("%s, %v, and then %s", text, err, again)
	}
}

// What Hadoop writes of a job is read, with characters that are none in XML and references to other settings; what is no configuration is refused.
func TestUnmarshal(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"\xef\xbb\xbf<?xml version=\"1.1\"?>\n<configuration><property><name> a </name><value>1&#1;2&#x1F;&#9;</value><final>true</final></property></configuration>": {"a": "1 2 \t"},
		"<configuration><a/><property><name>a</name><value>${b}-${c}</value></property><property><name>b</name><value>${d}</value></property><property><name>d</name><value>4</value></property></configuration>": {
			"a": "4-${c}", "b": "4", "d": "4"},
		"<configuration><property><name>a</name><value>1</value></property><property><name>a</name><value>2</value></property><property><name>b</name></property></configuration>": {"a": "2"},
		"<configuration><property><name>a</name><value>${a}</value></property></configuration>":                                                                                    {"a": "${a}"},
		"<configuration/>": {},
	} {
		if got, err := Unmarshal([]byte(text)); err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "no element, want <configuration>", "hello": "no element, want <configuration>", "<html/>": "begins with <html>, want <configuration>",
		"<configuration><property>": "XML syntax error on line 1: unexpected EOF", "<configuration>": "XML syntax error on line 1: unexpected EOF",
	} {
		if got, err := Unmarshal([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %q, %v, want %s", text, got, err, want)
		}
	}
}
