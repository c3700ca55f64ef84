package command

import (
	"slices"
	"strings"
	"testing"

	"replay/cmd/replay/settings"
	"replay/engine/model"
	"replay/engine/scenario"
	"replay/policy"
)

func TestSplitWords(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" --a  b ", []string{"--a", "b"}},
		{`--conf "spark.x=a b" 'c\d' e\ f`, []string{"--conf", "spark.x=a b", `c\d`, "e f"}},
		{`a"b"c ''`, []string{"abc", ""}},
	}
	for _, tt := range tests {
		got, err := splitWords(tt.in)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("splitWords(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
	for _, bad := range []string{`"a`, `'a`, `a\`} {
		if _, err := splitWords(bad); err == nil {
			t.Errorf("splitWords(%q) has no error", bad)
		}
	}
}

func TestVariants(t *testing.T) {
	base := scenario.Options{Sharing: "fair", Seed: 7, Model: model.DefaultModel(), Conf: map[string]string{"spark.task.cpus": "2"}}
	p := &program{settings: settings.New(&policy.Tables{})}
	vs, err := p.parseVariants([]string{"a:", "b: --sharing drf --conf spark.locality.wait=0s"}, base)
	if err != nil {
		t.Fatal(err)
	}
	if vs[0].options.Sharing != "fair" || vs[1].options.Sharing != "drf" {
		t.Errorf("sharing is %q and %q, want fair and drf", vs[0].options.Sharing, vs[1].options.Sharing)
	}
	if got := vs[1].options.Conf; got["spark.task.cpus"] != "2" || got["spark.locality.wait"] != "0s" {
		t.Errorf("variant b has %v, want the common key and its own", got)
	}
	if len(vs[0].options.Conf) != 1 || vs[0].options.Seed != 7 {
		t.Errorf("variant a has %v and seed %d: another variant's flags reached it", vs[0].options.Conf, vs[0].options.Seed)
	}
	for _, bad := range []string{"x", "a b: --sharing fair", "a: --nonsense", "a: word", "a: --conf xy", `a: "`} {
		if _, err := p.parseVariants([]string{bad}, base); err == nil || !strings.Contains(err.Error(), "variant") {
			t.Errorf("variant %q: error %v, want one that names it", bad, err)
		}
	}
	if vs, err := p.parseVariants([]string{"a:", "b: --seed 30"}, base); err != nil || vs[0].options.Seed != 7 || vs[1].options.Seed != 30 {
		t.Errorf("%+v (%v), want the common seed and one of its own", vs, err)
	}
	if vs, err := p.parseVariants([]string{"a: --nodes 010", "b: --nodes=010 --seed 08"}, base); err != nil || vs[0].options.Nodes != 10 || vs[1].options.Nodes != 10 || vs[1].options.Seed != 8 {
		t.Errorf("%+v (%v), want ten nodes, and seed 8", vs, err)
	}
	if _, err := p.parseVariants([]string{"a:", "A:"}, base); err == nil {
		t.Error("two variants of one name have no error")
	}
}
