package spark

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParsePools(t *testing.T) {
	tests := []struct {
		name, xml string
		want      []Pool
		warnings  []string
	}{
		{"all set", `<allocations><pool name="prod"><schedulingMode>FAIR</schedulingMode><weight>2</weight><minShare>8</minShare></pool></allocations>`,
			[]Pool{{Name: "prod", Mode: FAIR, MinShare: 8, Weight: 2}}, nil},
		{"nothing set", `<allocations><pool name="a"/></allocations>`, []Pool{{Name: "a", Weight: 1}}, nil},
		{"spaces and case", `<allocations><pool name="a"><schedulingMode> fair
			</schedulingMode><weight> +3 </weight></pool></allocations>`, []Pool{{Name: "a", Mode: FAIR, Weight: 3}}, nil},
		{"not understood", `<allocations><pool name="a"><schedulingMode>NONE</schedulingMode><weight>1.5</weight><minShare>-</minShare></pool></allocations>`,
			[]Pool{{Name: "a", Weight: 1}}, []string{
				`f.xml: pool "a": schedulingMode is "NONE", FIFO is used`, `f.xml: pool "a": minShare is "-", 0 is used`, `f.xml: pool "a": weight is "1.5", 1 is used`,
			}},
		{"a space that String.trim leaves", "<allocations><pool name='a'><schedulingMode>FAIR\u00a0</schedulingMode><weight>\u00a03</weight></pool></allocations>",
			[]Pool{{Name: "a", Weight: 1}}, []string{
				"f.xml: pool \"a\": schedulingMode is \"FAIR\\u00a0\", FIFO is used", "f.xml: pool \"a\": weight is \"\\u00a03\", 1 is used",
			}},
		{"pools in pools are pools beside them", `<pool name="a"><weight>2</weight><pool name="b"><weight>3</weight></pool></pool>`,
			[]Pool{{Name: "a", Weight: 2}, {Name: "b", Weight: 3}}, nil},
		{"negative values stand", `<allocations><pool name="a"><weight>-1</weight><minShare>-2</minShare></pool></allocations>`,
			[]Pool{{Name: "a", MinShare: -2, Weight: -1}}, nil},
		{"no pool", `<allocations/>`, []Pool{}, []string{"f.xml: has no <pool>, so all pools have their defaults"}},
		{"what Spark does not look at", `<allocations><Pool name="z"/><pool name="a"><wieght>2</wieght></pool><pool/><group><pool name="a"><weight>4</weight></pool></group></allocations>`,
			[]Pool{{Name: "a", Weight: 1}, {Weight: 1}, {Name: "a", Weight: 4}}, []string{
				"f.xml: <Pool> has no effect, Spark looks at pool", `f.xml: <wieght> of pool "a" has no effect, Spark looks at schedulingMode, minShare, weight, pool`,
				"f.xml: a pool has no name, so jobs do not find it", `f.xml: pool "a" is there more than once: jobs are in the last of them`,
			}},
		{"a file of YARN's queues", `<allocations><queue name="a"><weight>2</weight></queue></allocations>`, []Pool{}, []string{
			"f.xml: <queue> has no effect, Spark looks at pool", "f.xml: has no <pool>, so all pools have their defaults"}},
		{"other attributes", `<pool name="a" kind="c" xmlns:x="u" x:name="b"/>`, []Pool{{Name: "a", Weight: 1}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := ParsePools("f.xml", strings.NewReader(tt.xml))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(Pool{})); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
			if d := cmp.Diff(tt.warnings, warnings); d != "" {
				t.Errorf("warnings, -want +got:\n%s", d)
			}
		})
	}
}

// A file is in the encoding that it declares, or that its byte order mark shows.
func TestParsePoolsEncodings(t *testing.T) {
	const doc = `<?xml version="1.0" encoding="%s"?><allocations><pool name="gr%s"><weight>2</weight></pool></allocations>`
	wide := "\xff\xfe"
	for _, c := range fmt.Sprintf(doc, "UTF-16", "\u00f6") {
		wide += string([]byte{byte(c), 0})
	}
	for name, text := range map[string]string{"UTF-8": "\xef\xbb\xbf" + fmt.Sprintf(doc, "UTF-8", "\u00f6"), "ISO-8859-1": fmt.Sprintf(doc, "ISO-8859-1", "\xf6"), "UTF-16": wide} {
		got, _, err := ParsePools("f.xml", strings.NewReader(text))
		if err != nil || len(got) != 1 || got[0].Name != "gr\u00f6" || got[0].Weight != 2 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, _, err := ParsePools("f.xml", strings.NewReader(fmt.Sprintf(doc, "windows-1252", "o"))); err == nil || !strings.Contains(err.Error(), "f.xml:1: xml: opening charset \"windows-1252\": encoding windows-1252 is not read here, want UTF-8") {
		t.Errorf("%v", err)
	}
	if _, _, err := ParsePools("f.xml", strings.NewReader("<a>\xf6</a>")); err == nil || !strings.HasPrefix(err.Error(), "f.xml: the text is not UTF-8: line 1 has the byte 0xf6;") {
		t.Errorf("%v", err)
	}
}

func TestParsePoolsErrors(t *testing.T) {
	for _, tt := range []struct{ name, xml, want string }{
		{"empty", "", "f.xml:1: no root element"},
		{"not closed", "<allocations>\n<pool name='a'>", "f.xml:2: XML syntax error"},
		{"two roots", "<a/>\n<b/>", "f.xml:2: second root element <b>"},
		{"entity", `<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`, "invalid character entity"},
	} {
		if _, _, err := ParsePools("f.xml", strings.NewReader(tt.xml)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error is %v, want %q", tt.name, err, tt.want)
		}
	}
}

func FuzzParsePools(f *testing.F) {
	f.Add(`<allocations><pool name="prod"><schedulingMode>FAIR</schedulingMode><weight>2</weight></pool></allocations>`)
	f.Add(`<pool name="a"><pool/></pool>`)
	f.Add("<a>\xff</a>")
	f.Fuzz(func(t *testing.T, text string) {
		pools, _, err := ParsePools("f.xml", strings.NewReader(text))
		if (err == nil) != (pools != nil) {
			t.Fatalf("pools %v with error %v", pools, err)
		}
	})
}

// Whatever the pools are, each task set that may launch is in the order exactly once, those of a pool
// stand together, and in each pool they are sorted.
func TestPoolsOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var file []Pool
		for i := range rapid.IntRange(0, 4).Draw(rt, "pools") {
			file = append(file, Pool{
				Name: fmt.Sprint("p", i), Mode: PoolMode(rapid.IntRange(0, 1).Draw(rt, "mode")),
				MinShare: int32(rapid.IntRange(-1, 6).Draw(rt, "share")), Weight: int32(rapid.IntRange(-1, 3).Draw(rt, "weight")),
			})
		}
		root := NewPools(PoolMode(rapid.IntRange(0, 1).Draw(rt, "root")), file)
		want := map[*Schedulable]bool{}
		for i := range rapid.IntRange(0, 12).Draw(rt, "sets") {
			s := &Schedulable{
				Stage: int32(i), Priority: int32(rapid.IntRange(0, 3).Draw(rt, "job")),
				Zombie: rapid.IntRange(0, 4).Draw(rt, "zombie") == 0, Backlog: int32(rapid.IntRange(0, 2).Draw(rt, "backlog")),
			}
			root.Add(s, fmt.Sprint("p", rapid.IntRange(0, 5).Draw(rt, "pool")))
			s.AddRunning(int32(rapid.IntRange(0, 5).Draw(rt, "running")))
			want[s] = !s.Zombie && s.Backlog > 0
		}
		order := root.AppendSorted(nil)
		seen := map[*Schedulable]bool{}
		left := map[*Pool]bool{}
		for i, s := range order {
			if !want[s] || seen[s] {
				rt.Fatalf("%s is in the order wrongly or twice", s.Name())
			}
			seen[s] = true
			if i == 0 {
				continue
			}
			before := order[i-1]
			if before.pool != s.pool {
				left[before.pool] = true
				if left[s.pool] {
					rt.Fatalf("pool %q comes twice", s.pool.Name)
				}
				continue
			}
			less := compareFIFO
			if s.pool.Mode == FAIR {
				less = compareFair
			}
			if less(before, s) > 0 || s.pool.Mode == FAIR && before.Running > s.Running {
				rt.Fatalf("%s before %s in a pool that is %v", before.Name(), s.Name(), s.pool.Mode)
			}
		}
		for s, in := range want {
			if in != seen[s] {
				rt.Fatalf("%s: in the order %v, want %v", s.Name(), seen[s], in)
			}
		}
		running := int32(0)
		for _, p := range root.Pools {
			running += p.Running
		}
		for s := range want {
			running -= s.Running
			root.Remove(s)
		}
		if running != 0 || len(root.AppendSorted(nil)) != 0 {
			rt.Fatalf("running tasks of pools and task sets differ by %d", running)
		}
	})
}

func TestNaNSharesSortLast(t *testing.T) {
	// Weight 0: no running task gives NaN, some give infinity; both sort behind any number.
	root := NewPools(FAIR, []Pool{{Name: "nan", Weight: 0}, {Name: "inf", Weight: 0}, {Name: "one", Weight: 1}})
	for i, name := range []string{"nan", "inf", "one"} {
		s := &Schedulable{Stage: int32(i), Backlog: 1}
		root.Add(s, name)
		s.AddRunning(int32(i))
	}
	var got []string
	for _, s := range root.AppendSorted(nil) {
		got = append(got, s.pool.Name)
	}
	if want := []string{"one", "inf", "nan"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// Sets of one stage have their turns as they were submitted.
func TestOrderOfOneStage(t *testing.T) {
	root := NewPools(FIFO, nil)
	for _, id := range []int32{4, 5, 6} {
		root.Add(&Schedulable{ID: id, Stage: 7, Backlog: 1}, "")
	}
	root.Add(&Schedulable{ID: 7, Stage: 3, Backlog: 1}, "")
	var ids []int32
	for _, s := range root.AppendSorted(nil) {
		ids = append(ids, s.ID)
	}
	if want := []int32{7, 4, 5, 6}; !slices.Equal(ids, want) {
		t.Errorf("turns of %v, want %v", ids, want)
	}
}
