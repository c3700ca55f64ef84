package spark

import (
	"maps"

	"replay/bench/conform/golden"
	"replay/engine/spark/conf"
)

// defaults are texts of spark-defaults.conf: refused, or each key with its value.
//
// Source: Utils.getPropertiesFromFile, java.util.Properties.load.
var defaults = golden.Kind{
	Name:  "spark defaults",
	Of:    golden.AnswersOf("Utils.getPropertiesFromFile"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "defaults" },
	Run:   golden.Cases(runSparkDefaults),
}

type sparkDefaultsCase struct {
	ID      string
	Text    string
	Refused string
	Values  map[string]string
}

func runSparkDefaults(c *sparkDefaultsCase, out *golden.Results) {
	got, _, err := conf.ParseDefaults("spark-defaults.conf", []byte(c.Text))
	if golden.Refused(c.ID, c.Refused, err, nil, out) {
		return
	}
	delete(got.Values, "") // nothing asks for it
	if !maps.Equal(got.Values, c.Values) {
		out.AddDifferent(golden.Difference{Case: c.ID, Expected: c.Values, Got: got.Values, State: c.Text})
		return
	}
	out.AddEqual()
}
