package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"replay/engine/record"
	"replay/engine/scenario"
	"replay/engine/spark"
)

// Cell is one replay of a plan.
type Cell struct {
	ID      string
	Trace   int      // position among the traces
	Variant string   // "" in a plan without variants
	Values  []string // of the settings of the plan; empty for one that is unset
	Seed    uint64
}

// Identity is all that decides the bytes of a cell but its seed, as one hash. decisions is the version of the program's decisions.
func Identity(sc *scenario.Scenario, decisions string) string {
	type text struct{ Name, SHA256 string }
	of := func(f scenario.File) text {
		sum := sha256.Sum256(f.Text)
		return text{f.Name, hex.EncodeToString(sum[:])}
	}
	kinds := func(files scenario.Files) map[string]text {
		out := map[string]text{}
		for kind, f := range files {
			out[kind] = of(f)
		}
		return out
	}
	m := sc.Manifest()
	m.Seed = 0
	all := struct {
		Decisions        string
		Manifest         *record.Manifest // trace, policies, resolved keys and parameters
		Conf, Parameters map[string]string
		Files, Folder    map[string]text // as given: what they name is read into the manifest or stands beside it
		Reloads          []text
		Pools            []spark.Pool
		Override         bool
		SeriesMS, Stall  int64
	}{decisions, m, sc.Conf, sc.Parameters, kinds(sc.Files), kinds(sc.Folder.Files), nil, sc.Pools, sc.Override, sc.SeriesMS, sc.StallMS}
	for _, r := range sc.Reloads {
		all.Reloads = append(all.Reloads, of(r.File))
	}
	b, err := json.Marshal(&all)
	if err != nil {
		panic(err) // strings and numbers always have a JSON form
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// idDigits keep ids of a million cells apart: two are alike once in a trillion such sweeps.
const idDigits = 20

// ID is the id of the cell with a seed.
func ID(identity string, seed uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", identity, seed))
	return hex.EncodeToString(sum[:])[:idDigits]
}
