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
