package explain

import (
	"strings"
	"testing"

	"replay/trace"
)

// What the model gives stands with how far that is from what the job took.
func TestModelSaysHowFarItIsOff(t *testing.T) {
	for _, tt := range []struct {
		took, modelled int64
		want           string
	}{{67_600, 22_050, ", 67 % less than it took; "}, {10_000, 10_320, ", 3 % more than it took; "}, {10_000, 10_010, ", as long as it took; "}, {0, 0, ", as long as it took; "}} {
		var b strings.Builder
		(&View{Took: tt.took, Modelled: tt.modelled, Executors: 4, Cores: 6, Curve: []Point{{Executors: 4, Share: 1, MS: tt.modelled}}}).writeText(&b, trace.KindSpark)
		if text := b.String(); !strings.Contains(text, tt.want) || !strings.Contains(text, "from the first task on, by this model") {
			t.Errorf("%d ms by the model of %d, no %q in\n%s", tt.modelled, tt.took, tt.want, text)
		}
	}
}
