package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type sample struct {
	Name  string            `json:"name"`
	Share float64           `json:"share"`
	More  map[string]string `json:"more"`
	Hash  string            `json:"hash"`
}

// A document is read whatever its layout is, and with no bit of its content changed.
func TestDocument(t *testing.T) {
	want := &sample{Name: "<a>&\u2028", Share: 0.1, More: map[string]string{"b": "2", "a": "1"}}
	text, err := Marshal(want, "  ", func(h string) { want.Hash = h })
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatal(err)
	}
	for _, layout := range [][]byte{text, compact.Bytes()} {
		var got sample
		if err := Unmarshal(layout, &got); err != nil || got.Name != want.Name || got.More["b"] != "2" {
			t.Errorf("%s: %+v, %v", layout, got, err)
		}
	}
	for bit := range 8 * len(text) {
		bad := bytes.Clone(text)
		bad[bit/8] ^= 1 << (bit % 8)
		var got sample
		if Unmarshal(bad, &got) == nil && (got.Name != want.Name || got.Share != want.Share || len(got.More) != 2 || got.More["a"] != "1") {
			t.Errorf("bit %d changes it to %+v unnoticed", bit, got)
		}
	}
	for _, text := range []string{"", "null", "[]", "{}", `{"name":"a"}`, `{"hash":""}`, `{"hash":1}`, `{"hash":"x"}`} {
		if err := Unmarshal([]byte(text), new(sample)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Of(dir, "a")
	if err != nil || f.Bytes != 4 || !strings.HasPrefix(f.SHA256, "982d9e3eb996f559") {
		t.Fatal(f, err)
	}
	if err := f.Check(dir); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("tent"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(dir); err == nil || !strings.Contains(err.Error(), "it was changed") {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := f.Check(dir); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	v := &sample{Name: "a", More: map[string]string{"b": "c"}}
	text, err := Marshal(v, " ", func(h string) { v.Hash = h })
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"hash":"x","a":[1e400,{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var got sample
		if Unmarshal(text, &got) != nil {
			return
		}
		if again, err := Marshal(&got, "", func(h string) { got.Hash = h }); err == nil && Unmarshal(again, new(sample)) != nil {
			t.Errorf("%s, and written again %s", text, again)
		}
	})
}

// plainSum is what Sum is by its definition.
func plainSum(t *testing.T, text []byte, without ...string) string {
	doc, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range without {
		in := doc
		for key, rest, more := strings.Cut(path, "."); in != nil; key, rest, more = strings.Cut(rest, ".") {
			if !more {
				delete(in, key)
				break
			}
			in, _ = in[key].(map[string]any)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n"))))
}

// sums are texts whose sums are taken by the definition and as they are.
var sums = []string{
	`{}`, ` { "b" : [ ] , "a" : { } } `, `{"a":[1,[2,{"c":1e400}],"<\u0041\ud800\/>\u2028", null,true , -0.0]}`, `{"a":1,"a":2}`, `{"hash":"x","a":{"a":1,"files":[{"a":1}]},"files":3}`,
	"{\"\xff\":\"\xfe\"}", `{"":{"":0}}`,
}

func FuzzSum(f *testing.F) {
	for _, text := range sums {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, without := range [][]string{nil, {"hash"}, {"files", "a.files", "hash"}} {
			got, err := Sum(text, without...)
			if err != nil {
				if doc := map[string]any(nil); json.Unmarshal(text, &doc) == nil && doc != nil {
					t.Fatalf("%s: %v", text, err)
				}
				return
			}
			if want := plainSum(t, text, without...); got != want {
				t.Errorf("%s without %v: %s, want %s", text, without, got, want)
			}
		}
	})
}
