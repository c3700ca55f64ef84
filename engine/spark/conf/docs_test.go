package conf

import (
	"os"
	"strings"
	"testing"
)

// Keys that are known and not followed are listed for readers.
func TestUnmodelledKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/fidelity-spark.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.note != "" && !strings.Contains(string(text), "`"+k.name+"`") {
			t.Errorf("docs/fidelity-spark.md does not list %s", k.name)
		}
	}
}
