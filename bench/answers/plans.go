package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"replay/report/dist"
)

const (
	planSeeds  = 14      // that a plan and a scan take at most at each value
	mostOfScan = 1.0 / 3 // of the replays of a scan may a plan take
	leastTruth = 0.93    // of the intervals of plans must have the true best value
	truthSeeds = 500     // from which that is known
	trials     = 25      // plans for each true value
	waitColumn = "wait_job_first_task_mean_ms"
)

// A setting is what a plan varies. The waits of a generated trace fall with the number of nodes and rise with the load.
type setting struct {
	vary string
	grid string // of a sweep, the same values
}

func nodes(last int) setting {
	return setting{fmt.Sprintf("nodes=2:%d", last), fmt.Sprintf("grid: {nodes: 2..%d}", last)}
}

var load = setting{"load=0.1:2.05:0.05", "loads: 0.1..2.05 step 0.05"}

// A sizing is the question at which value of a setting the mean wait of a generated trace is below a limit, with every value replayed.
type sizing struct {
	trace   string
	setting setting
	values  []string
	waits   [][]float64 // by value, then seed
	limit   int64       // ms
	best    int         // the last value before which some do not hold, looking from the end that holds
	crossed bool        // it holds somewhere beyond a value at which it does not, too
}

// newSizing generates a trace, replays it at each value with some seeds, and sets a limit a part of the way between the waits at both ends.
func (a *asked) newSizing(seed int, s setting, seeds int, part float64) (*sizing, error) {
	z := &sizing{setting: s}
	var err error
	if z.trace, err = a.crowded(seed); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(s.vary, "=")
	if z.values, z.waits, err = a.scanned(name, fmt.Sprintf("traces: [%s]\nseeds: 1..%d\n%s\n", z.trace, seeds, s.grid), seeds); err != nil {
		return nil, err
	}
	z.scan(part)
	return z, nil
}

// crowded generates a trace in which jobs wait, in the place of the one before.
func (a *asked) crowded(seed int) (string, error) {
	dir := a.dir.Path("crowded")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	_, _, err := a.replay("gen", "uniform-micro", "--jobs", "8", "--nodes", "4", "--racks", "2", "--load", "0.8", "--seed", fmt.Sprint(seed), "--out", dir)
	return dir, err
}

// scanned replays a sweep's plan, and returns the values of one of its settings with the mean waits under each, by seed.
func (a *asked) scanned(name, text string, seeds int) (values []string, waits [][]float64, err error) {
	swept, plan := a.dir.Path("swept"), a.dir.Path("scan.yaml")
	if err := os.RemoveAll(swept); err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
		return nil, nil, err
	}
	if _, _, err := a.replay("sweep", plan, "--out", swept); err != nil {
		return nil, nil, err
	}
	table, err := os.ReadFile(filepath.Join(swept, "merged", "values.csv"))
	if err != nil {
		return nil, nil, err
	}
	rows := csv.NewReader(bytes.NewReader(table))
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return nil, nil, err
	}
	at, metric, value := slices.Index(head, name), slices.Index(head, "metric"), slices.Index(head, "value")
	for {
		row, err := rows.Read()
		if err != nil { // the end, or a table that is short of replays
			break
		}
		if row[metric] != waitColumn {
			continue
		}
		if k := len(values); k == 0 || values[k-1] != row[at] {
			values, waits = append(values, strings.Clone(row[at])), append(waits, nil)
		}
		wait, err := strconv.ParseFloat(row[value], 64)
		if err != nil {
			return nil, nil, err
		}
		k := len(waits) - 1
		waits[k] = append(waits[k], wait)
	}
	for i, w := range waits {
		if len(w) != seeds {
			return nil, nil, fmt.Errorf("%s=%s has %d replays, want %d", name, values[i], len(w), seeds)
		}
	}
	return values, waits, nil
}

func (z *sizing) scan(part float64) {
	last := len(z.waits) - 1
	first, end := dist.Mean(z.waits[0]), dist.Mean(z.waits[last])
	z.limit = int64(end * math.Pow(first/end, part))
	at := func(i int) int {
		if first < end {
			return last - i
		}
		return i
	}
	i := last
	for ; i > 0 && dist.Mean(z.waits[at(i-1)]) < float64(z.limit); i-- {
	}
	z.best = at(i)
	for i -= 2; i >= 0; i-- {
		z.crossed = z.crossed || dist.Mean(z.waits[at(i)]) < float64(z.limit)
	}
}

// planned is what `replay plan --json` says.
type planned struct {
	Best, Low, High string
	Replays         int
}

// plan searches, with the seeds from one on.
func (a *asked) plan(z *sizing, seed int) (p planned, err error) {
	text, _, err := a.replay("plan", z.trace, "--hold", fmt.Sprintf("mean(wait) < %dms", z.limit), "--vary", z.setting.vary,
		"--max-seeds", fmt.Sprint(planSeeds), "--seed", fmt.Sprint(seed), "--json")
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal([]byte(text), &p)
}

// holds says whether the interval of a plan has a value.
func (z *sizing) holds(p planned, value int) bool {
	low, high := slices.Index(z.values, p.Low), slices.Index(z.values, p.High)
	return low >= 0 && low <= value && value <= high
}

// plans asks whether a plan finds what a scan of all values finds, for how much of its replays, and how often its interval has the true best value.
func plans(a *asked, n int) (bool, error) {
	same, inside, crossed, searched, scanned := 0, 0, 0, 0, 0
	for i := range n {
		s := nodes(41)
		if i%2 == 1 {
			s = load
		}
		z, err := a.newSizing(i+1, s, planSeeds, 0.1+float64(0.8*a.rng.Float64()))
		if err != nil {
			return false, err
		}
		p, err := a.plan(z, 1)
		if err != nil {
			return false, err
		}
		searched, scanned = searched+p.Replays, scanned+len(z.values)*planSeeds
		if z.crossed {
			crossed++
		}
		if z.holds(p, z.best) {
			inside++
		}
		if p.Best == z.values[z.best] {
			same++
		} else {
			fmt.Fprintf(a.out, "trace %d, mean wait < %d ms, %s: %s (%s to %s), scan %s, crossed %v\n", i+1, z.limit, s.vary, p.Best, p.Low, p.High, z.values[z.best], z.crossed)
		}
	}
	share := float64(searched) / float64(scanned)
	fmt.Fprintf(a.out, "plan finds the value that a scan of all values finds in %d of %d problems, with %.1f %% of its replays; the scan's value is in its interval in %d; in %d the wait crosses the limit more than once\n",
		same, n, 100*share, inside, crossed)

	asked, held := 0, 0
	for i := range max(n/12, 1) {
		z, err := a.newSizing(1000+i, nodes(13), truthSeeds, 0.1+float64(0.8*a.rng.Float64()))
		if err != nil {
			return false, err
		}
		for range min(n, trials) {
			p, err := a.plan(z, 1+a.rng.IntN(truthSeeds-planSeeds))
			if err != nil {
				return false, err
			}
			asked++
			if z.holds(p, z.best) {
				held++
			}
		}
	}
	_, err := fmt.Fprintf(a.out, "intervals of plans have the value that %d seeds find in %d of %d trials\n", truthSeeds, held, asked)
	return same == n && share < mostOfScan && float64(held) >= leastTruth*float64(asked), err
}
