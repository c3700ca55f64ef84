package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The page of the format names every table and, below it, every column.
func TestEveryColumnIsDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "trace-format.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(data), "\n### ")
	for _, name := range sortedKeys(schemas) {
		section := ""
		for _, s := range sections {
			if first, _, _ := strings.Cut(s, "\n"); strings.Split(first, ",")[0] == name {
				section = s
			}
		}
		if section == "" {
			t.Errorf("no section about %s", name)
		}
		for _, f := range schemas[name].Fields() {
			if !strings.Contains(section, "`"+f.Name()+"`") {
				t.Errorf("%s: column %s is not documented", name, f.Name())
			}
		}
	}
}
