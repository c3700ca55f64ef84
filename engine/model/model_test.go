package model

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Each parameter stands in docs/model.md with its default.
func TestModelIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	m := DefaultModel()
	values := m.Values()
	for _, p := range Parameters {
		if strings.HasSuffix(p.Name, "-penalty") { // one row for both
			continue
		}
		if row := fmt.Sprintf("\n| `%s` | %s |", p.Name, values[p.Name]); !strings.Contains(string(text), row) {
			t.Errorf("docs/model.md has no row that begins with %q", row)
		}
	}
	if want := fmt.Sprintf("\n| `rack-penalty`, `any-penalty` | %s, %s |", values["rack-penalty"], values["any-penalty"]); !strings.Contains(string(text), want) {
		t.Errorf("docs/model.md has no row that begins with %q", want)
	}
}
