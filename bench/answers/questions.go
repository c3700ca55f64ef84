package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"replay/report/explain"
	"replay/report/result"
	"replay/trace"
)

// recorded are the recorded traces and a generated one of which decisions are changed.
var recorded = []string{"contended-logs", "fair-weights", "uniform-micro"}

// diffs changes one allocation of a replay, another one each time, and asks where the two part.
func diffs(a *asked, n int) (bool, error) {
	named := 0
	for i := range n {
		name := recorded[i%len(recorded)]
		dir := a.dir.Path("diff-" + name)
		if i < len(recorded) {
			if _, err := a.result("diff-"+name, a.trace(name)); err != nil {
				return false, err
			}
		}
		data, err := result.Read(dir)
		if err != nil {
			return false, err
		}
		t, err := trace.Open(a.trace(name))
		if err != nil {
			return false, err
		}
		spans := slices.DeleteFunc(slices.Clone(data.Containers.Spans), func(s result.Span) bool { return s.AM })
		s := spans[a.rng.IntN(len(spans))]
		host := t.Nodes[s.Node].Host
		if err := t.Close(); err != nil {
			return false, err
		}
		text, _, err := a.replay("diff", a.trace(name), "--json", "--variant", "before:", "--variant", fmt.Sprintf("after: --change 'container %d of job %d not on %s'", s.Number, s.Job, host))
		if err != nil {
			return false, err
		}
		var got struct {
			Sides struct {
				Before *struct {
					Kind           string
					Job, Container int64
					Node           int32
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return false, err
		}
		if d := got.Sides.Before; d != nil && d.Job == s.Job && d.Container == s.Number && d.Node == s.Node && (d.Kind == "allocate" || d.Kind == "reserve") {
			named++
		} else {
			fmt.Fprintf(a.out, "%s: container %d of job %d on %s: %s\n", name, s.Number, s.Job, host, text[:min(len(text), 400)])
		}
	}
	_, err := fmt.Fprintf(a.out, "diff names the changed decision in %d of %d cases\n", named, n)
	return named == n, err
}

// irrelevant are changes of a fair-scheduler.xml that concern no application of the traces, to be put before the end of the file.
var irrelevant = []string{
	"<!-- nothing -->", "\n\n", `<queue name="nobody_here"><maxRunningApps>1</maxRunningApps></queue>`, `<queue name="empty"><weight>9</weight></queue>`,
	`<user name="nobody"><maxRunningApps>1</maxRunningApps></user>`,
}

// gates asks whether a change that concerns nobody passes, without an alarm, with and without conditions.
func gates(a *asked, n int) (bool, error) {
	alarms := 0
	for i := range n {
		name := []string{"fair-weights", "drf-mixed-sizes", "locality-wait-3s"}[i%3]
		text, err := os.ReadFile(filepath.Join(a.trace(name), "fair-scheduler.xml"))
		if err != nil {
			return false, err
		}
		const begin = "<allocations>"
		at := bytes.Index(text, []byte(begin)) + len(begin)
		change := irrelevant[a.rng.IntN(len(irrelevant))]
		for side, content := range map[string]string{"base": string(text), "head": string(text[:at]) + change + string(text[at:])} {
			if err := os.MkdirAll(a.dir.Path(side), 0o755); err != nil {
				return false, err
			}
			if err := os.WriteFile(filepath.Join(a.dir.Path(side), "fair-scheduler.xml"), []byte(content), 0o644); err != nil {
				return false, err
			}
		}
		words := []string{"gate", a.trace(name), "--base", a.dir.Path("base"), "--head", a.dir.Path("head"), "--seed", fmt.Sprint(1 + a.rng.IntN(1_000_000))}
		if i%2 == 1 {
			words = append(words, "--fail-if", "p95(wait) > +0%", "--fail-if", "mean(duration) > +1%")
		}
		said, failed, err := a.replay(words...)
		if err != nil {
			return false, err
		}
		if failed {
			alarms++
			fmt.Fprintf(a.out, "%s with %q: %s", name, change, said)
		}
	}
	_, err := fmt.Fprintf(a.out, "%d gates with a change that concerns nobody raise %d alarms\n", n, alarms)
	return alarms == 0, err
}

// causes takes causes of jobs away, as explain --if does, and again as a change of the result of its own: the job starts or ends no later than was claimed.
func causes(a *asked, n int) (bool, error) {
	tested, late, sooner := 0, 0, 0
	for i := 0; tested < n; i++ {
		at := a.trace("contended-logs")
		if i%2 == 1 {
			at = a.dir.Path(fmt.Sprint("causes-trace-", i))
			preset := []string{"uniform-micro", "tpch-mixed"}[i/2%2]
			if _, _, err := a.replay("gen", preset, "--jobs", "10", "--nodes", "4", "--racks", "2", "--seed", fmt.Sprint(i), "--out", at); err != nil {
				return false, err
			}
		}
		dir := a.dir.Path(fmt.Sprint("causes-", i))
		if _, _, err := a.replay("run", at, "--formats", "none", "--allow-failures", "--seed", fmt.Sprint(i+1), "--out", dir); err != nil {
			return false, err
		}
		text, _, err := a.replay("explain", dir, "--worst", "wait", "--top", "4", "--if", "--json", "--trace", at)
		if err != nil {
			return false, err
		}
		var got struct {
			Jobs []struct {
				Job   int64
				Would []explain.Claim
			}
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return false, err
		}
		for _, j := range got.Jobs {
			for _, c := range j.Would {
				if tested == n || c.AtMS == nil {
					continue
				}
				tested++
				changed := a.dir.Path("changed")
				if _, _, err := a.replay(append(slices.Clone(c.Command[1:]), "--trace", at, "--out", changed)...); err != nil {
					return false, err
				}
				data, err := result.Read(changed)
				if err != nil {
					return false, err
				}
				again := data.Jobs.Find(j.Job)
				if again == nil {
					late++
					continue
				}
				when := again.Finish
				if c.Of == explain.FirstTask {
					when = again.FirstTask
				}
				if !result.Happened(when) || when-again.Submit > *c.AtMS {
					late++
				} else if *c.AtMS < c.WasMS {
					sooner++
				}
			}
		}
	}
	_, err := fmt.Fprintf(a.out, "without a cause, a job starts or ends no later than explain --if claims in %d of %d cases, and sooner than with it in %d\n", tested-late, tested, sooner)
	return late == 0, err
}
