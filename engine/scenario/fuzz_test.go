package scenario

import (
	"strings"
	"testing"
)

func FuzzSparkDefaults(f *testing.F) {
	for _, s := range []string{"", "# c\nspark.executor.cores 2\n", "spark.a=b", "spark.a : b\r\n", "spark.a", "!x\n\n=\n", "spark.a\t=  b c "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseSparkDefaults(File{Name: "of-a-test.conf", Text: []byte(text)})
		if err != nil && !strings.Contains(err.Error(), "of-a-test.conf") {
			t.Errorf("error %q does not name the file", err)
		}
		for k := range m {
			if k == "" || strings.ContainsAny(k, " \t=:\n") {
				t.Errorf("key %q of %q", k, text)
			}
		}
	})
}
