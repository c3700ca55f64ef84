package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"replay/cmd/replay/cmdline"
	"replay/engine/random"
	"replay/report/checkpoint"
)

// withoutCheckpoints fails unless two results hold the same bytes, checkpoints aside.
func withoutCheckpoints(t *testing.T, got, want string) {
	t.Helper()
	is, was := files(t, got), files(t, want)
	for _, list := range []map[string]string{is, was} {
		for name := range list {
			if strings.HasPrefix(name, checkpoint.Folder) {
				delete(list, name)
			}
		}
	}
	for name := range was {
		if is[name] != was[name] {
			t.Errorf("%s: %s differs", got, name)
		}
	}
	if len(is) != len(was) || len(was) < 8 {
		t.Errorf("%s has %d files, %s %d", got, len(is), want, len(was))
	}
}

// TestRestore: on every trace of the project, under every scheduler, a result with checkpoints has the bytes of one without, and so has one that goes on
// from any of them.
func TestRestore(t *testing.T) {
	all, err := os.ReadDir(traces)
	if err != nil {
		t.Fatal(err)
	}
	scaled := []string{"--autoscale", "emr-managed", "--allow-failures"} // nodes that come, go and are lost
	for _, set := range []string{"ComputeLimits.MinimumCapacityUnits=2", "ComputeLimits.MaximumCapacityUnits=12", "ComputeLimits.MaximumCoreCapacityUnits=4", "provisioningTime=5s..20s", "spot.meanLifetime=1m"} {
		scaled = append(scaled, "--conf", "autoscale."+set)
	}
	restored := 0
	for i, e := range all {
		name := e.Name()
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			r := random.Stream(uint64(i), "checkpoints of a trace")
			for _, options := range [][]string{{}, {"--scheduler", "capacity", "--decisions", "--series", "700ms"}, {"--scheduler", "fifo", "--tasks", "off", "--seed", "3"}, {"--engine", "dense"}, scaled} {
				if testing.Short() && len(options) > 0 {
					continue
				}
				line := append([]string{"run", filepath.Join(traces, name), "--formats", "none", "-q"}, options...)
				must(t, append(line, "--out", at("a"))...)
				var times []string
				for range 3 {
					times = append(times, (time.Duration(1+r.IntN(120_000)) * time.Millisecond).String())
				}
				must(t, append(line, "--out", at("b"), "--checkpoint-at", strings.Join(times, ","))...)
				withoutCheckpoints(t, at("b"), at("a"))
				dirs, _, err := checkpoint.Of(at("b"))
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range dirs {
					restored++
					must(t, append(line, "--out", at("c"), "--restore", d)...)
					sameTree(t, at("a"), at("c"))
					must(t, "run", "--from", filepath.Join(at("b"), "run.json"), filepath.Join(traces, name), "-q", "--allow-failures", "--out", at("c"), "--restore", d)
					sameTree(t, at("a"), at("c"))
				}
			}
		})
	}
	if restored < 8 {
		t.Errorf("%d checkpoints were gone on from", restored)
	}
}

func TestRestoreRefuses(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	line := []string{"run", traces + "fair-weights", "--formats", "none", "-q"}
	must(t, append(line, "--out", at("a"), "--checkpoint-at", "10s,20s", "--tasks", "off")...)
	state := filepath.Join(at("a"), "checkpoints", "10s")
	change := func(name string, change func([]byte) []byte) string {
		to := at("changed-" + name)
		if err := os.CopyFS(to, os.DirFS(at("a"))); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(to, "checkpoints", "10s", name)
		if strings.HasSuffix(name, "parquet") {
			path = filepath.Join(to, name)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change(b), 0o644); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(to, "checkpoints", "10s")
	}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 4; return b }
	cut := func(b []byte) []byte { return b[:len(b)/2] }
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no checkpoint", []string{"--restore", at("a")}, cmdline.ExitBadInput, "is no checkpoint"},
		{"another trace", []string{"--restore", state, "TRACE"}, cmdline.ExitBadInput, "is of the trace fair-weights"},
		{"another seed", []string{"--restore", state, "--seed", "2"}, cmdline.ExitBadInput, "seed is 2, in the checkpoint 1"},
		{"another scheduler", []string{"--restore", state, "--scheduler", "fifo"}, cmdline.ExitBadInput, `scheduler is "fifo", in the checkpoint "fair"`},
		{"another key", []string{"--restore", state, "--conf", "spark.locality.wait=7s"}, cmdline.ExitBadInput, `config spark.locality.wait is "7s", in the checkpoint not set`},
		{"another latency", []string{"--restore", state, "--model", "am-start-ms=1"}, cmdline.ExitBadInput, `model am-start-ms is "1", in the checkpoint`},
		{"an end before it", []string{"--restore", state, "--until", "5s"}, cmdline.ExitBadInput, "is at 10s, after --until"},
		{"rows that are not there", []string{"--restore", state, "--out", at("r")}, cmdline.ExitBadInput, "tasks.parquet"},
		{"a header that was changed", []string{"--restore", change("checkpoint.json", flip)}, cmdline.ExitBadInput, "checkpoint.json"},
		{"a state that was changed", []string{"--restore", change("engine.zst", flip)}, cmdline.ExitBadInput, "it was changed"},
		{"sums that were cut", []string{"--restore", change("sums.zst", cut)}, cmdline.ExitBadInput, "it was changed"},
		{"a table that was changed", []string{"--restore", change("containers.parquet", flip), "--tasks", "off", "--out", at("r")}, cmdline.ExitBadInput, "it was changed"},
		{"no place to keep them", []string{"--checkpoint-at", "10s"}, cmdline.ExitUsage, "want --out"},
		{"no time", []string{"--checkpoint-at", "10", "--out", at("r")}, cmdline.ExitUsage, "it has no unit"},
		{"explanations", []string{"--restore", state, "--explain", "--out", at("r")}, cmdline.ExitUsage, "--explain has no place"},
		{"the ideal scheduler", []string{"--checkpoint-at", "10s", "--scheduler", "ideal", "--out", at("r")}, cmdline.ExitBadInput, "has no checkpoints"},
		{"a dense window with a result", []string{"--restore", state, "--engine", "dense", "--tasks", "off", "--out", at("r")}, cmdline.ExitUsage, "has no place beside --out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{}, line...)
			if n := len(tt.args) - 1; tt.args[n] == "TRACE" {
				tt.args, args[1] = tt.args[:n], traces+"node-lost"
			}
			code, _, stderr := cmd(t, append(args, tt.args...)...)
			if code != tt.code || !strings.Contains(stderr, tt.want) {
				t.Errorf("exit code %d, want %d, with %q in\n%s", code, tt.code, tt.want, stderr)
			}
		})
	}
	if _, err := os.Stat(at("r")); err == nil {
		t.Error("a refused replay left a result")
	}
}

// TestDenseFromCheckpoint: from a checkpoint of the fast engine on everything is executed, and the decisions are the same.
func TestDenseFromCheckpoint(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"fair-weights", "node-lost", "tpch-mixed"} {
		out := filepath.Join(dir, name)
		must(t, "run", traces+name, "--formats", "none", "-q", "--out", out, "--checkpoint-at", "7s,40s", "--until", "90s")
		want := hashOf(t, must(t, "run", traces+name, "-q", "--until", "90s", "--all"))
		dirs, _, err := checkpoint.Of(out)
		if err != nil || len(dirs) == 0 {
			t.Fatalf("%d checkpoints: %v", len(dirs), err)
		}
		for _, d := range dirs {
			got := hashOf(t, must(t, "run", traces+name, "-q", "--until", "90s", "--all", "--restore", d, "--engine", "dense"))
			if got != want {
				t.Errorf("%s from %s: decision hash %s, want %s", name, d, got, want)
			}
		}
	}
}

// hashOf reads the decision hash from the text of a summary.
func hashOf(t *testing.T, text string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "decision hash"); ok {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("no decision hash in\n%s", text)
	return ""
}

// TestWhatIfFromCheckpoint: a change in a result with checkpoints is replayed from the latest before it, says so, and comes to the bytes of one that is replayed from the
// beginning; and with nothing changed to those of the result.
func TestWhatIfFromCheckpoint(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	next := write(t, dir, "next.xml", `<allocations><queue name='root'><maxRunningApps>99</maxRunningApps></queue><queueMaxAppsDefault>2</queueMaxAppsDefault></allocations>`)
	for _, tt := range []struct{ trace, change, from string }{
		{"uniform-micro", "--change 'without job 9'", "1m20s"},
		{"tpch-mixed", "--change 'container 2 of job 15 not on node1'", "1m20s"},
		{"uniform-micro", "--change 'without job 0'", ""},
		{"uniform-micro", "--reload 70s=" + next, "1m0s"},
		{"uniform-micro", "--reload 70s=" + next + " --change 'without job 5'", "40s"},
		{"uniform-micro", "--conf spark.locality.wait=0s", ""},
		{"tpch-mixed", "--change 'without job 20'", "1m40s"},
		{"node-lost", "--change 'keep node node03'", "2m0s"},
		{"fair-weights", "", ""},
		{"contended-logs", "", ""},
	} {
		t.Run(tt.trace+" "+tt.change, func(t *testing.T) {
			line := []string{"run", traces + tt.trace, "--formats", "none", "-q", "--out"}
			must(t, append(line, at("plain"))...)
			must(t, append(line, at("kept"), "--checkpoint-every", "20s")...)
			words, err := splitWords(tt.change)
			if err != nil {
				t.Fatal(err)
			}
			args := append([]string{"--trace", traces + tt.trace, "--out", at("changed")}, words...)
			plain := must(t, append([]string{"whatif", at("plain")}, args...)...)
			want := files(t, at("changed"))
			out := must(t, append([]string{"whatif", at("kept")}, args...)...)
			if said := strings.Contains(out, "from the checkpoint at "+tt.from+","); tt.change != "" && said != (tt.from != "") {
				t.Errorf("it does not say that it went on from %q:\n%s", tt.from, out)
			}
			if got, want := heldBefore(out), heldBefore(plain); got != want {
				t.Errorf("from a checkpoint what was held before they part is\n%s\nfrom the beginning\n%s", got, want)
			}
			for name, text := range files(t, at("changed")) {
				if want[name] != text {
					t.Errorf("%s differs", name)
				}
			}
			if tt.change == "" {
				sameTree(t, at("plain"), at("changed"))
			}
		})
	}
}

// heldBefore is what an answer says that queues, jobs and the node held when the replays part.
func heldBefore(answer string) string {
	_, list, _ := strings.Cut(answer, "before it, in both:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	return list
}
