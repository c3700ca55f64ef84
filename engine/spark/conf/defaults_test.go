package conf

import (
	"maps"
	"strings"
	"testing"

	"replay/engine/remark"
)

// Source: java.util.Properties.load, Utils.getPropertiesFromFile.
func TestParseDefaults(t *testing.T) {
	got, err := ParseDefaults("f", []byte("# a comment\n! another \\\n\n  spark.a 1\nspark.b=2\nspark.c : 3 4 \r\nspark.d\t=\t5\nspark.e=\na 6\nspark.f\nspark.g a=b\n"+
		"spark.h one,\\\n   # two,\\\n\tthree\rspark.i\\ j\\==x\\\\y\\\\\nspark.k \\u00e9\\t|\\n\nspark.l = = 7\nspark.a 8\nspark.m x # no comment\nspark.n 9\\"))
	want := map[string]string{"spark.a": "8", "spark.b": "2", "spark.c": "3 4", "spark.d": "5", "spark.e": "", "a": "6", "spark.f": "", "spark.g": "a=b",
		"spark.h": "one,# two,three", "spark.i j=": `x\y\`, "spark.k": "é\t|\n", "spark.l": "= 7", "spark.m": "x # no comment", "spark.n": "9"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for text, want := range map[string]string{
		"spark.a 1\nspark.b \\u00x":             "f.conf:2: malformed",
		"a\\u1":                                 "f.conf:1: malformed",
		"\n\nspark.executor.memory {{ mem }}\n": "f.conf:3: spark.executor.memory {{ mem }}: this is a template",
		"spark.executor.cores ${cores}":         "f.conf:1: ",
		"<% if x -%>\nspark.a 1":                "f.conf:1: <% if x -%>: this is a template",
		"spark.a 1 \\\n  2\n@YARN@\n":           "f.conf:3: @YARN@",
	} {
		if _, err := ParseDefaults("f.conf", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for _, fine := range []string{"spark.executor.extraJavaOptions -Dx={{PWD}}", "spark.hadoop.x ${env:HOME}", "# {{ managed }}"} {
		if _, err := ParseDefaults("f.conf", []byte(fine)); err != nil {
			t.Errorf("%q: %v", fine, err)
		}
	}
}

func FuzzParseDefaults(f *testing.F) {
	for _, s := range []string{"", "# c\nspark.executor.cores 2\n", "spark.a=b", "spark.a : b\r\n", "spark.a", "!x\n\n=\n", "spark.a\t=  b c ", "a\\\nb \\u0041\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := ParseDefaults("of-a-test.conf", []byte(text))
		if err != nil && !strings.Contains(err.Error(), "of-a-test.conf") {
			t.Errorf("error %q does not name the file", err)
		}
	})
}

// What is no text is refused; a byte order mark is told, because it hides the first key from Spark and from the eye.
func TestDefaultsThatAreNoText(t *testing.T) {
	for _, text := range []string{"\xff\xfes\x00p\x00", "\x1f\x8b\x08abc", "spark.locality.wait 0s\n\x00"} {
		if _, err := ParseDefaults("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "f: packed, in UTF-16 or no text at all") {
			t.Errorf("%q: %v", text, err)
		}
	}
	values, err := ParseDefaults("f", []byte("\ufeffspark.locality.wait 0s\nspark.task.cpus 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	remarks, err := Remarks(Layer{Name: "f", Shared: true, Values: values})
	if err != nil || len(remarks) != 1 || remarks[0].Kind != remark.Odd || remarks[0].Of != "spark.locality.wait" || !strings.Contains(remarks[0].Text, "byte order mark") {
		t.Errorf("remarks %+v, %v", remarks, err)
	}
}
