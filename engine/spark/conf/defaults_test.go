package conf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"replay/engine/remark"
)

// Source: java.util.Properties.load, Utils.getPropertiesFromFile.
func TestParseDefaults(t *testing.T) {
	got, said, err := ParseDefaults("f", []byte("# a comment\n! another \\\n\n  spark.a 1\nspark.b=2\nspark.c : 3 4 \r\nspark.d\t=\t5\nspark.e=\na 6\nspark.f\nspark.g a=b\n"+
		"spark.h one,\\\n   # two,\\\n\tthree\rspark.i\\ j\\==x\\\\y\\\\\nspark.k \\u00e9\\t|\\n\nspark.l = = 7\nspark.a 8\nspark.m x # no comment\nspark.n 9\\"))
	want := map[string]string{"spark.a": "8", "spark.b": "2", "spark.c": "3 4", "spark.d": "5", "spark.e": "", "a": "6", "spark.f": "", "spark.g": "a=b",
		"spark.h": "one,# two,three", "spark.i j=": `x\y\`, "spark.k": "é\t|\n", "spark.l": "= 7", "spark.m": "x # no comment", "spark.n": "9"}
	if err != nil || !maps.Equal(got.Values, want) {
		t.Errorf("got %q, %v; want %q", got.Values, err, want)
	}
	if twice := (remark.List{{Kind: remark.Odd, Line: 18, Of: "spark.a", Text: "set more than once, the last value counts"}}); !slices.Equal(said, twice) || got.Lines["spark.a"] != 18 || got.Lines["spark.h"] != 12 || !got.Shared {
		t.Errorf("remarks %+v, want %+v; lines %v", said, twice, got.Lines)
	}
	if _, said, _ := ParseDefaults("f", []byte("spark.a 1\nspark.a=1\n")); len(said) > 0 {
		t.Errorf("remarks %+v on a key that is set twice to one value", said)
	}
	for text, want := range map[string]string{
		"spark.a 1\nspark.b \\u00x":             "f.conf: line 2: malformed",
		"a\\u1":                                 "f.conf: line 1: malformed",
		"\n\nspark.executor.memory {{ mem }}\n": "f.conf: line 3: spark.executor.memory {{ mem }}: this is a template",
		"spark.executor.cores ${cores}":         "f.conf: line 1: ",
		"spark.executor.cores ${env:CORES}":     "f.conf: line 1: ",
		"spark.executor.cores ${system:cores}":  "f.conf: line 1: ",
		"spark.executor.cores ${spark.a} ${b":   "f.conf: line 1: ",
		"<% if x -%>\nspark.a 1":                "f.conf: line 1: <% if x -%>: this is a template",
		"spark.a 1 \\\n  2\n@YARN@\n":           "f.conf: line 3: @YARN@",
	} {
		if _, _, err := ParseDefaults("f.conf", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for _, fine := range []string{"spark.executor.extraJavaOptions -Dx={{PWD}}", "spark.hadoop.x ${env:HOME}", "# {{ managed }}"} {
		if _, _, err := ParseDefaults("f.conf", []byte(fine)); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
}

func FuzzParseDefaults(f *testing.F) {
	for _, s := range []string{"", "# c\nspark.executor.cores 2\n", "spark.a=b", "spark.a : b\r\n", "spark.a", "!x\n\n=\n", "spark.a\t=  b c ", "a\\\nb \\u0041\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _, err := ParseDefaults("of-a-test.conf", []byte(text))
		if err != nil && !strings.Contains(err.Error(), "of-a-test.conf") {
			t.Errorf("error %q does not name the file", err)
		}
	})
}

// What is no text is refused; a byte order mark is told, because it hides the first key from Spark and from the eye.
func TestDefaultsThatAreNoText(t *testing.T) {
	for _, text := range []string{"\xff\xfes\x00p\x00", "\x1f\x8b\x08abc", "spark.locality.wait 0s\n\x00"} {
		if _, _, err := ParseDefaults("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "f: packed, in UTF-16 or no text at all") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, _, err := ParseDefaults("f", []byte("<?xml version=\"1.0\"?>\n<configuration/>\n")); err == nil || !strings.Contains(err.Error(), `f: begins with <?xml version="1.0"?>, in which Spark finds no key`) {
		t.Errorf("of XML: %v", err)
	}
	layer, _, err := ParseDefaults("f", []byte("\ufeffspark.locality.wait 0s\nspark.task.cpus 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	remarks, err := Remarks(layer)
	if err != nil || len(remarks) != 1 || remarks[0].Kind != remark.Odd || remarks[0].Of != "spark.locality.wait" || !strings.Contains(remarks[0].Text, "byte order mark") {
		t.Errorf("remarks %+v, %v", remarks, err)
	}
}

// A value may refer to other keys of Spark, which any layer or their default defines. What nobody defines is refused where the user wrote it, with the line; recorded with a job it stays.
//
// Source: ConfigReader.substitute, SparkConfigProvider.
func TestReferences(t *testing.T) {
	const node = "spark.locality.wait.node"
	for _, tt := range []struct {
		file, over string // value of spark.locality.wait
		want       int64  // of spark.locality.wait.node, ms
		err        string
	}{
		{"x 1\n" + node + " ${spark.locality.wait}\nspark.locality.wait 7s\n", "", 7000, ""},
		{node + " ${spark.locality.wait}", "9s", 9000, ""},
		{node + " ${spark.locality.wait}", "", 3000, ""},
		{node + " ${spark.locality.wait.rack}", "9s", 9000, ""}, // by its default, which is another key
		{node + " ${spark.of.ours}${spark.unit}\nspark.of.ours ${spark.n}\nspark.n 4\nspark.unit min", "", 240_000, ""},
		{"x 1\n" + node + " ${spark.of.ours}", "", 0, "f: line 2: " + node + ` is "${spark.of.ours}", no key defines ${spark.of.ours}`},
		{node + " ${spark.of.ours}\nspark.of.ours ${env:WAIT}", "", 0, "f: line 1: " + node + ` is "${spark.of.ours}", no key defines ${env:WAIT}`},
		{node + " ${spark.of.ours}\nspark.of.ours ${n}\nn 4", "", 0, "no key defines ${n}"}, // no key of Spark's
		{node + " ${spark.a}\nspark.a ${spark.b}\nspark.b ${spark.a}", "", 0, "which refers to itself by ${spark.a}"},
		{node + " ${spark.executor.instances}", "", 0, "no key defines"}, // which has no default
		{node + " ${spark.a}\nspark.a soon", "", 0, node + ` is "soon"`},
		{"spark.task.resource.gpu.amount ${spark.a}\nspark.a 1", "", 0, `amount is "${spark.a}"`}, // Spark reads it as it is written
		{"spark.rpc.askTimeout ${spark.a}\nspark.a 5", "", 0, `askTimeout is "${spark.a}"`},
		{"spark.network.timeout ${spark.a}\nspark.a 200", "", 0, `spark.rpc.askTimeout is "${spark.a}"`},
		{node + " ${spark.network.timeout}${spark.n}\nspark.network.timeout 200\nspark.n s", "", 200_000, ""},
		{node + " ${spark.dynamicAllocation.executorIdleTimeout}", "", 60_000, ""},
		{node + " ${spark.scheduler.revive.interval}", "", 0, "no key defines ${spark.scheduler.revive.interval}"},
		{node + " ${spark.stage.maxConsecutiveAttempts}", "", 0, "no key defines ${spark.stage.maxConsecutiveAttempts}"},
	} {
		file, _, err := ParseDefaults("f", []byte(tt.file))
		if err != nil {
			t.Fatal(err)
		}
		over := Layer{Name: "--conf", Strict: true, Shared: true, Values: map[string]string{}}
		if tt.over != "" {
			over.Values["spark.locality.wait"] = tt.over
		}
		_, err = Remarks(file, over)
		c, _, again := Parse(file, over)
		if tt.err != "" {
			if err == nil || again == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: errors %v and %v, want %q", tt.file, err, again, tt.err)
			}
			continue
		}
		if err != nil || again != nil || c.WaitNode != tt.want {
			t.Errorf("%q: %+v, errors %v and %v, want a wait of %d ms", tt.file, c, err, again, tt.want)
		}
	}
	recorded := Layer{Name: "job 0", Values: map[string]string{"spark.scheduler.allocation.file": "${env:POOLS}", "spark.task.maxFailures": "${spark.n}", "spark.n": "2"}}
	if c, _, err := Parse(recorded); err != nil || c.AllocationFile != "${env:POOLS}" || c.MaxTaskFailures != 2 {
		t.Errorf("recorded with a job: %+v, %v", c, err)
	}
	// Values that double themselves end.
	grows := Layer{Name: "f", Shared: true, Values: map[string]string{node: "${spark.a0}", "spark.a99": "ab"}}
	for i := range 99 {
		grows.Values[fmt.Sprintf("spark.a%d", i)] = fmt.Sprintf("${spark.a%d}${spark.a%d}", i+1, i+1)
	}
	if _, _, err := Parse(grows); err == nil || !strings.Contains(err.Error(), "grows beyond 1048576 bytes") {
		t.Errorf("error %v, want the limit of a value", err)
	}
}
