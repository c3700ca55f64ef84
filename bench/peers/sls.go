package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"replay/bench/cases"
	"replay/scripts/sls/simulator"
)

// slsLoad is the load of the share that YARN's simulator has. It goes by the clock, so there is nothing to learn from a queue that grows.
const slsLoad = 0.9

// slsSays is what the simulator is started with prints at the end.
var slsSays = regexp.MustCompile(`(\d+) applications, (\d+) containers, makespan ([0-9.]+) s`)

// quietLog is for log4j: what is logged is not what is measured.
const quietLog = "log4j.rootLogger=WARN,out\nlog4j.appender.out=org.apache.log4j.ConsoleAppender\nlog4j.appender.out.target=System.err\nlog4j.appender.out.layout=org.apache.log4j.PatternLayout\n"

// hosts is a file of addresses: the ResourceManager looks up that of each node, which takes far longer where there is none.
func hosts() string {
	text := "127.0.0.1 localhost\n"
	if name, err := os.Hostname(); err == nil {
		text += "127.0.0.1 " + name + "\n"
	}
	for _, n := range (cases.W1{}).Meta().Nodes {
		text += "127.0.0.1 " + n.Host + "\n"
	}
	return text
}

// sls prints a table of a share of W1 through YARN, each task in a container of its own, in YARN's Scheduler Load Simulator and replayed.
func (o *options) sls(ctx context.Context, w io.Writer) error {
	tasks := min(o.tasks, o.slsTasks)
	if _, err := fmt.Fprintf(w, "\nYARN's Scheduler Load Simulator, the first %d of the %d tasks of W1 at load %v, a container for each under the FairScheduler\n\n", tasks, wholeW1, slsLoad); err != nil {
		return err
	}
	dir, err := o.place("sls")
	if err != nil {
		return err
	}
	s, err := simulator.Install(ctx, "scripts/sls", dir)
	if err != nil {
		_, said := fmt.Fprintf(w, "Left out: not installed: %s\n", why(err.Error()))
		return errors.Join(ctx.Err(), said)
	}
	program, err := o.program(ctx)
	if err != nil {
		return err
	}
	work := filepath.Join(dir, "work")
	at := func(name string) string { return filepath.Join(work, name) }
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	words, err := s.Command(work, at("export/sls-jobs.json"), at("export/sls-nodes.json"), "-Djdk.net.hosts.file="+at("hosts"))
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(at("conf/log4j.properties"), []byte(quietLog), 0o666), os.WriteFile(at("hosts"), []byte(hosts()), 0o666)); err != nil {
		return err
	}
	writer := filepath.Join(dir, "w1")
	for _, words := range [][]string{
		{"go", "build", "-o", writer, "./" + here("w1")},
		{writer, "write", fmt.Sprint(slsLoad), strconv.Itoa(tasks), at("trace")},
		{program, "trace", "export", at("trace"), "--format", "sls", "--out", at("export")},
	} {
		if err := call(ctx, words...); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(w, "| | CPU | tasks a CPU second | peak memory | makespan | applications |\n|---|---|---|---|---|---|\n"); err != nil {
		return err
	}
	ours, err := run(ctx, o.limit, "", simulator.Replay(program, at("trace"), work, "--json", "--quiet")...)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "| `replay run` | %s | %s |\n", figures(ours, tasks), replayed(ours)); err != nil {
		return err
	}
	theirs, err := run(ctx, o.limit, work, words...)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "| hadoop-sls 3.4 | %s | %s |\n", figures(theirs, tasks), simulated(theirs, tasks))
	return err
}

// replayed are the columns of what `replay run --json` printed.
func replayed(c cost) string {
	var m struct {
		Outcome struct{ Jobs, Succeeded int64 } `json:"outcome"`
		Ms      float64                         `json:"makespan_ms"`
	}
	if err := json.Unmarshal([]byte(c.output), &m); err != nil || c.failed != "" {
		return fmt.Sprintf("– | %s", c.failed)
	}
	return fmt.Sprintf("%.1f s | %d of %d succeeded", m.Ms/1000, m.Outcome.Succeeded, m.Outcome.Jobs)
}

// simulated are those of what the simulator printed: it allocated a container for each task and one for each application's master, or more.
func simulated(c cost, tasks int) string {
	m := slsSays.FindStringSubmatch(c.output)
	if m == nil || c.failed != "" {
		return fmt.Sprintf("– | %s", c.failed)
	}
	applications, _ := strconv.Atoi(m[1]) // digits
	containers, _ := strconv.Atoi(m[2])
	verdict := fmt.Sprintf("%d ended", applications)
	if containers < tasks+applications {
		verdict += fmt.Sprintf(", but with %d containers of %d", containers, tasks+applications)
	}
	return fmt.Sprintf("%s s | %s", m[3], verdict)
}
