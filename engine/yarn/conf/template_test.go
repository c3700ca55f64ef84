package conf

import (
	"strings"
	"testing"

	"replay/engine/remark"
)

// Files of Ansible, Puppet, FreeMarker and Template Toolkit, in the places in which they have their variables.
func TestTemplates(t *testing.T) {
	properties := func(text string) error { return NewProperties().Parse("f.xml", []byte(text)) }
	for _, tt := range []struct {
		name  string
		check func(string) error
		text  string
		want  string // "" when the file is fine
	}{
		{"a loop over properties", properties, "<configuration>\n{% for p in all %}\n<property><name>a</name></property>{% endfor %}</configuration>", "f.xml: line 2: {% for p in all %}: this is a template"},
		{"names", properties, "<configuration>\n<property><name>{{ p.name }}</name><value>1</value></property></configuration>", "line 2"},
		{"an attribute", properties, `<configuration><property name="${p}" value="1"/></configuration>`, "this is a template"},
		{"statements that are no XML", properties, "<configuration>\n<% if x %></configuration>", "f.xml: line 2: <% if x %></configuration>: this is a template"},
		{"a list that is no XML", properties, "<configuration><#list q as x></configuration>", "this is a template"},
		{"values are looked at by key", properties, "<configuration><property><name>a</name><value>{{A}}/lib</value></property></configuration>", ""},
		{"descriptions", properties, "<configuration><property><name>a</name><value>1</value><description>like ${b}</description></property></configuration>", ""},
		{"comments", properties, "<configuration><!-- {{ managed }} --></configuration>", ""},
		{"a value of an allocation file", func(s string) error { return CheckTemplate([]byte(s)) }, "<allocations>\n<queue name='a'><weight>{{ w }}</weight></queue></allocations>", `line 2: <weight> is "{{ w }}": this is a template`},
		{"a queue's name", func(s string) error { return CheckTemplate([]byte(s)) }, "<allocations><queue name='{{ q }}'/></allocations>", "name of <queue>"},
		{"an allocation file that is no XML", func(s string) error { return CheckTemplate([]byte(s)) }, "<allocations>\n\n<%= q %></allocations>", "line 3: <%= q %></allocations>"},
		{"another allocation file that is no XML", func(s string) error { return CheckTemplate([]byte(s)) }, "<allocations>", ""},
		{"an allocation file", func(s string) error { return CheckTemplate([]byte(s)) }, "<allocations><!-- {{ x }} --><queue name='a@b'/></allocations>", ""},
		{"a value", func(s string) error { return CheckFilledIn("k", s) }, "[% A_B %]", `k is "[% A_B %]": this is a template`},
		{"a value between two @", func(s string) error { return CheckFilledIn("k", s) }, "@rm.host@", "this is a template"},
		{"an address", func(s string) error { return CheckFilledIn("k", s) }, "a@b.c, d@e.f", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.check(tt.text)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), remark.NotFilledIn)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
