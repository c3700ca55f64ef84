package prediction

import (
	"fmt"
	"strconv"
	"strings"
)

// Fitted is one parameter of the model as estimated from recordings.
type Fitted struct {
	Name  string `json:"name"`
	Value int64  `json:"value"` // ms
	N     int    `json:"samples"`
	How   string `json:"how"`
}

// ValueText returns the value as the model takes it.
func (f *Fitted) ValueText() string { return strconv.FormatInt(f.Value, 10) }

// ModelFile returns the fitted parameters in the form that --model-file reads.
func ModelFile(fit []Fitted) []byte {
	var b strings.Builder
	b.WriteString("# Fitted by replay backtest --fit: medians over the given recordings.\n")
	for i := range fit {
		f := &fit[i]
		fmt.Fprintf(&b, "# %d samples: %s\n%s=%s\n", f.N, f.How, f.Name, f.ValueText())
	}
	return []byte(b.String())
}
