package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"

	"replay/report/dist"
)

// A choice is a setting with values of which one may be the best for the mean wait of a generated trace.
type choice struct{ name, grid string }

// choices have values that decide much, little and nothing.
var choices = []choice{
	{"nodes", "grid: {nodes: [3, 4, 5, 6]}"},
	{"load", "loads: [0.5, 0.7, 0.9, 1.1]"},
	{"conf spark.locality.wait", "grid: {conf: {spark.locality.wait: [0s, 1s, 3s, 10s]}}"},
	{"sharing", "grid: {sharing: [fair, drf]}"},
	{"conf spark.executor.cores", "grid: {conf: {spark.executor.cores: [1, 2, 4]}}"},
	{"placement", "grid: {placement: [locality-ratio, none, union, top]}"},
	{"conf spark.dynamicAllocation.executorIdleTimeout", "grid: {conf: {spark.dynamicAllocation.executorIdleTimeout: [1s, 10s, 60s]}}"},
	{"scheduler", "grid: {scheduler: [fair, capacity, fifo]}"},
	{"conf spark.dynamicAllocation.schedulerBacklogTimeout", "grid: {conf: {spark.dynamicAllocation.schedulerBacklogTimeout: [1s, 5s, 20s]}}"},
	{"nodes", "grid: {nodes: [2, 8]}"},
}

const (
	leastFound = 0.9 // of the problems must have their best, or what is not told from it
	knownSeeds = 40  // by which the best is known, apart from those of tune
)

// tuned is what `replay tune --json` says.
type tuned struct {
	Winner string
	Better bool
	Ties   []string
	Was    float64
	Is     float64
}

// tunes asks whether tune finds the best of each choice, which many other seeds know, or a tie with it, and whether what it promises is there for these seeds.
func tunes(a *asked, n int) (bool, error) {
	found, promised, empty := 0, 0, 0
	for i := range n {
		c := choices[i%len(choices)]
		trace, err := a.crowded(1 + i)
		if err != nil {
			return false, err
		}
		text := fmt.Sprintf("traces: [%s]\nseeds: 1001..%d\n%s\n", trace, 1000+knownSeeds, c.grid)
		values, waits, err := a.scanned(c.name, text, knownSeeds)
		if err != nil {
			return false, err
		}
		_, now, err := a.scanned("seed", fmt.Sprintf("traces: [%s]\nseeds: 1001..%d\n", trace, 1000+knownSeeds), 1)
		if err != nil {
			return false, err
		}
		said, err := a.tune(trace, &c)
		if err != nil {
			return false, err
		}
		labels := []string{"baseline"}
		under := [][]float64{slices.Concat(now...)}
		for k, v := range values {
			labels, under = append(labels, c.name+"="+v), append(under, waits[k])
		}
		if slices.ContainsFunc(append(said.Ties, said.Winner), func(label string) bool {
			at := slices.Index(labels, label)
			return at >= 0 && asGood(under[at], under)
		}) {
			found++
		} else {
			fmt.Fprintf(a.out, "tune: %s: it says %s and ties %v\n", c.name, said.Winner, said.Ties)
		}
		if at := slices.Index(labels, said.Winner); said.Better {
			promised++
			if at < 0 || !(dist.Mean(under[at]) < dist.Mean(under[0])) {
				empty++
				fmt.Fprintf(a.out, "tune: %s: %s is promised a gain, %.0f to %.0f ms, and has none\n", c.name, said.Winner, said.Was, said.Is)
			}
		}
	}
	fmt.Fprintf(a.out, "tune: of %d problems the best, or what is not told from it, is found in %d; %d gains are promised, of which %d are not there with %d other seeds\n", n, found, promised, empty, knownSeeds)
	return float64(found) >= leastFound*float64(n) && empty == 0, nil
}

// asGood reports whether no other one is known to be better, by paired differences.
func asGood(one []float64, all [][]float64) bool {
	return !slices.ContainsFunc(all, func(other []float64) bool {
		diff := make([]float64, len(one))
		for i := range one {
			diff[i] = one[i] - other[i]
		}
		mean, square := dist.Mean(diff), 0.0
		for _, d := range diff {
			square += float64((d - mean) * (d - mean))
		}
		n := float64(len(diff))
		return mean > 2*math.Sqrt(square/(n-1)/n)
	})
}

func (a *asked) tune(trace string, c *choice) (said tuned, err error) {
	plan, out := a.dir.Path("tune.yaml"), a.dir.Path("tuned")
	if err := os.RemoveAll(out); err != nil {
		return said, err
	}
	text := fmt.Sprintf("traces: [%s]\nseeds: 1..8\nheld_seeds: 9..18\ngoal: least mean(wait)\n%s\n", trace, c.grid)
	if err := os.WriteFile(plan, []byte(text), 0o644); err != nil {
		return said, err
	}
	answer, _, err := a.replay("tune", plan, "--out", out, "--json")
	if err != nil {
		return said, err
	}
	return said, json.Unmarshal([]byte(answer), &said)
}
