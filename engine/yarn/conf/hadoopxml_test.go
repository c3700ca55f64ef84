package conf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"replay/engine/remark"
)

func TestHadoopXML(t *testing.T) {
	p := NewProperties()
	if err := p.Parse("core", []byte(`<?xml version="1.0"?><configuration>
	  <!-- a comment -->
	  <property><name> a </name><value>1</value><final>true</final></property>
	  <property name="b" value="${a}${c}"/>
	  <property><name>c</name><value>x${d}</value><description>text</description></property>
	  <property><name>empty</name><value></value></property>
	  <property><name>loop</name><value>${loop}</value></property>
	  <property><name>env</name><value>${env.HOME-/h} ${env.X:-y} ${user.name}</value></property>
	  <property><name>odd</name><value>${} ${a b} {a} ${a</value><flavour>x</flavour></property>
	</configuration>`)); err != nil {
		t.Fatal(err)
	}
	if err := p.Parse("site", []byte(`<configuration><property><name>a</name><value>2</value></property><property><name>d</name><value><![CDATA[<d>]]></value></property></configuration>`)); err != nil {
		t.Fatal(err)
	}
	got, err := p.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "1", "b": "1x<d>", "c": "x<d>", "d": "<d>", "loop": "${loop}", "env": "/h -y ${user.name}", "odd": "${} ${a b} {a} ${a"}
	want["env"] = "/h y ${user.name}"
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s is %q, want %q", k, got[k], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d properties, want %d: %v", len(got), len(want), got)
	}
	said := remark.List{
		{Kind: remark.NoEffect, File: "core", Line: 6, Of: "empty", Text: "without a value it is not set"},
		{Kind: remark.Unknown, File: "core", Line: 9, Of: "<flavour> of property odd"},
		{Kind: remark.Odd, File: "site", Line: 1, Of: "a", Text: "final in a file before, the value is ignored"},
	}
	if !slices.Equal(p.Remarks, said) {
		t.Errorf("remarks %+v, want %+v", p.Remarks, said)
	}
}

// Of a key set twice something is said where the values differ.
func TestKeysSetTwice(t *testing.T) {
	p := NewProperties()
	if err := p.Parse("f", []byte(`<configuration><property name="a" value="1"/><property name="b" value="1"/><property name="a" value="1"/><property name="b" value="2"/></configuration>`)); err != nil {
		t.Fatal(err)
	}
	if len(p.Remarks) != 1 || p.Remarks[0].Of != "b" {
		t.Errorf("remarks %+v, want one on b", p.Remarks)
	}
}

func TestHadoopXMLErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"not XML", `<configuration>`, "f.xml: line 1: malformed XML"},
		{"entity", `<!DOCTYPE c [<!ENTITY x "y">]><configuration><property><name>&x;</name></property></configuration>`, "document type declaration"},
		{"undefined entity", `<configuration>&x;</configuration>`, "f.xml: line 1: malformed XML"},
		{"wrong file", `<allocations/>`, "top-level element is <allocations>, want <configuration>"},
		{"include that nobody reads", `<configuration xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="x.xml"/></configuration>`, `<xi:include> is "x.xml": another file is included`},
		{"attribute twice", `<configuration><property name="a" name="b"/></configuration>`, "attribute name of <property> is given twice"},
		{"two roots", `<configuration/><configuration/>`, "after the root element"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := NewProperties().Parse("f.xml", []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	p := NewProperties()
	if err := p.Parse("f.xml", []byte(`<configuration><property name="a" value="${b}"/><property name="b" value="${a}"/></configuration>`)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Resolve(); err == nil || !strings.Contains(err.Error(), `a is "${b}": Variable substitution depth too large: 20 ${b}`) {
		t.Errorf("a cycle of references gives %v", err)
	}
}

// Java's parsers read UTF-16 by its byte order mark. What this program does not read is not said to be refused by YARN.
func TestEncodings(t *testing.T) {
	const text = `<?xml version="1.0" encoding="ENC"?><configuration><property><name>a</name><value>é</value></property></configuration>`
	wide := func(order binary.AppendByteOrder, mark string) []byte {
		out := []byte(mark)
		for _, u := range utf16.Encode([]rune(strings.Replace(text, "ENC", "UTF-16", 1))) {
			out = order.AppendUint16(out, u)
		}
		return out
	}
	for name, b := range map[string][]byte{"UTF-16LE": wide(binary.LittleEndian, "\xff\xfe"), "UTF-16BE": wide(binary.BigEndian, "\xfe\xff"), "UTF-8 with a mark": []byte("\ufeff" + strings.Replace(text, "ENC", "UTF-8", 1))} {
		p := NewProperties()
		if err := p.Parse("f", b); err != nil || p.raw["a"] != "é" {
			t.Errorf("%s: %q, %v", name, p.raw["a"], err)
		}
	}
	for text, ofYARN := range map[string]bool{strings.Replace(text, "ENC", "windows-1252", 1): false, "\x1f\x8b\x08": true, "\xff\xfe": true, "": true} {
		var e *Error
		if err := NewProperties().Parse("f", []byte(text)); !errors.As(err, &e) || e.OfYARN() != ofYARN {
			t.Errorf("%q: %v, refused by YARN too: %t", text, err, !ofYARN)
		}
	}
}

// Files are included where they stand; one that is not there has its fallback, and without one the document is refused.
//
// Source: Configuration.Parser.handleInclude.
func TestIncludes(t *testing.T) {
	files := map[string]string{
		"b.xml":     `<configuration><property name="b" value="1"/><property name="a" value="b"/></configuration>`,
		"deep.xml":  `<configuration xmlns:xi="x"><xi:include href="b.xml"/><property name="c" value="1"/></configuration>`,
		"loop.xml":  `<configuration><include href="loop.xml"/></configuration>`,
		"ping.xml":  `<configuration><include href="pong.xml"/></configuration>`,
		"pong.xml":  `<configuration><include href="ping.xml"/></configuration>`,
		"bad.xml":   "<configuration>\n<property></configuration>",
		"final.xml": `<configuration><property name="a" value="final" final="true"/></configuration>`,
	}
	for depth := range 12 { // each is there twice in the one below it
		next := fmt.Sprintf("%d.xml", depth+1)
		files[fmt.Sprintf("%d.xml", depth)] = fmt.Sprintf(`<configuration><include href="%s"/><include href="%s"/></configuration>`, next, next)
	}
	files["12.xml"] = `<configuration/>`
	for _, tt := range []struct{ body, want string }{
		{`<property name="a" value="0"/><xi:include href="b.xml"/>`, "map[a:b b:1]"},
		{`<xi:include href="b.xml"/><property name="a" value="0"/>`, "map[a:0 b:1]"},
		{`<include href="deep.xml"><fallback><property name="f" value="1"/></fallback></include>`, "map[a:b b:1 c:1]"},
		{`<xi:include href="final.xml"/><property name="a" value="0"/>`, "map[a:final]"},
		{`<xi:include href="none.xml"><xi:fallback><property name="f" value="1"/><xi:include href="b.xml"/></xi:fallback></xi:include>`, "map[a:b b:1 f:1]"},
		{`<xi:include href="none.xml"><xi:fallback/></xi:include>`, "map[]"},
		{`<xi:include/>`, "map[]"},
		{`<xi:include href="none.xml"/>`, `f.xml: line 1: <xi:include> is "none.xml": Fetch fail on include for 'none.xml' with no fallback while loading 'f.xml'`},
		{`<xi:include href="loop.xml"/>`, `loop.xml: line 1: <include> is "loop.xml": loop.xml is included by itself`},
		{`<xi:include href="ping.xml"/>`, `pong.xml: line 1: <include> is "ping.xml": ping.xml is included by itself`},
		{`<xi:include href="f.xml"/>`, `f.xml is included by itself`},
		{`<xi:include href="bad.xml"/>`, `bad.xml: line 2: malformed XML`},
		{`<xi:include href="0.xml"/>`, `more than 1000 files are included`},
		{`<xi:include href="http://h/x.xml"><xi:fallback/></xi:include>`, `includes from a network are not followed`},
		{`<xi:include href="secret"/>`, `f.xml: line 1: <xi:include> is "secret": no way`},
	} {
		p := NewProperties()
		text := `<configuration xmlns:xi="http://www.w3.org/2001/XInclude">` + tt.body + `</configuration>`
		p.Include = func(href string) ([]byte, string, error) {
			switch text, ok := files[href]; {
			case href == "f.xml":
				return nil, "f.xml", nil
			case href == "secret":
				return nil, "", errors.New("no way")
			case ok:
				return []byte(text), href, nil
			}
			return nil, "", fs.ErrNotExist
		}
		err := p.Parse("f.xml", []byte(text))
		var got string
		if err == nil {
			var values map[string]string
			values, err = p.Resolve()
			got = fmt.Sprint(values)
		}
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.body, got, tt.want)
		}
	}
}

func FuzzHadoopXML(f *testing.F) {
	f.Add([]byte(`<configuration><property><name>a</name><value>${b}${b}</value></property><property name="b" value="${a}"/></configuration>`))
	f.Add([]byte(`<?xml version="1.0" encoding="ISO-8859-1"?><configuration>` + "\xe9" + `</configuration>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p := NewProperties()
		if err := p.Parse("f", text); err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		props, err := p.Resolve()
		if err != nil {
			return
		}
		if site, err := NewSite(props); err == nil {
			_, _ = NewCapacity(props, site)
		}
	})
}

// A key under an older name is the newer one, also in references; the later of the two counts.
func TestRenamedKeys(t *testing.T) {
	p := NewProperties()
	p.Renamed = map[string]string{"old": "new"}
	text := "<configuration><property name='new' value='1'/><property name='old' value='2'/><property name='other' value='${old}'/></configuration>"
	if err := p.Parse("f.xml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	got, err := p.Resolve()
	if err != nil || len(got) != 2 || got["new"] != "2" || got["other"] != "2" || len(p.Remarks) != 1 {
		t.Errorf("%v, %v, remarks %v: want new and other as 2, and a remark that new is set twice", got, err, p.Remarks)
	}
}
