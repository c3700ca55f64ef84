package regress

import (
	"fmt"
	"testing"
)

// A baseline of any text is refused, or its cases are compared and told of, each with itself and the first.
func FuzzBaseline(f *testing.F) {
	f.Add(fmt.Appendf(nil, `{"format":%q,"format_version":%d,"cases":[{"case":"a"},{"case":"b"}]}`, Format, FormatVersion))
	f.Add(fmt.Appendf(nil, `{"format":%q,"format_version":%d,"cases":[null]}`, Format, FormatVersion))
	f.Add([]byte(`{"format":"x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := parse("b.json", text)
		if err != nil {
			return
		}
		for _, e := range b.Entries {
			for _, old := range []*Entry{e, b.Entries[0]} {
				r := Compare(old, e, true)
				if r.Say() == "" {
					t.Errorf("%s: nothing is said of %s", text, e.Case)
				}
				r.Failed()
			}
		}
	})
}
