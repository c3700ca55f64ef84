package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"replay/trace/importer/codec"
)

// estimate is what Sparklens says of an event log, with the executors that it had. Times are whole seconds and the error whole percents, both towards zero, as it prints them.
type estimate struct {
	recorded, predicted int64 // s
	percent             int64 // of the recorded time; negative = too short
}

var (
	modelError = regexp.MustCompile(`Real App Duration +(-?\d+)m (-?\d+)s\s+Model Estimation +(-?\d+)m (-?\d+)s\s+Model Error +(\d+)%`)
	sameCount  = regexp.MustCompile(`\(100%\) estimated time (-?\d+m -?\d+s)`)
)

// readEstimate finds it in what Sparklens prints. An estimate below zero, as jobs at the same time make them, Sparklens takes for one that took too long, and prints no error of it.
//
// Source: ExecutorWallclockAnalyzer.printModelError of Sparklens 0.3.2.
func readEstimate(said string) (estimate, error) {
	m := modelError.FindStringSubmatch(said)
	if m == nil {
		if m = sameCount.FindStringSubmatch(said); m != nil {
			return estimate{}, fmt.Errorf("none: its time is %s", m[1])
		}
		return estimate{}, errors.New("none")
	}
	var n [5]int64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseInt(m[i+1], 10, 64); err != nil {
			return estimate{}, err
		}
	}
	e := estimate{recorded: 60*n[0] + n[1], predicted: 60*n[2] + n[3], percent: n[4]}
	if e.predicted < e.recorded {
		e.percent = -e.percent
	}
	return e, nil
}

// backtested is an application in what `replay backtest --json` prints.
type backtested struct {
	Recording string  `json:"recording"`
	Name      string  `json:"name"`
	Recorded  int64   `json:"recorded_ms"`
	Error     float64 `json:"error"` // as a share of the recorded time
}

// sparklens prints a table of event logs: how long an application took, and how far off Sparklens and `replay backtest` are with the executors that it had.
func (o *options) sparklens(ctx context.Context, w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\nPredicted times of event logs: Sparklens 0.3.2 and `replay backtest`, with the executors that were recorded\n\n"); err != nil {
		return err
	}
	leave := func(format string, args ...any) error {
		_, err := fmt.Fprintf(w, "Left out: "+format+".\n", args...)
		return err
	}
	if o.sparklensJar == "" {
		return leave("Sparklens is in none of the registries; --sparklens names a jar of it for Spark 2.4 with Scala 2.11")
	}
	dir, err := o.place("sparklens")
	if err != nil {
		return err
	}
	lib := filepath.Join(dir, "lib")
	if err := jars(ctx, here("sparklens"), lib); err != nil {
		return errors.Join(ctx.Err(), leave("what Sparklens runs on was not installed: %v", err))
	}
	program, err := o.program(ctx)
	if err != nil {
		return err
	}
	ours, err := run(ctx, o.limit, "", program, "backtest", o.logs, "--json", "--quiet")
	if err != nil {
		return err
	}
	var found struct {
		Applications []backtested `json:"applications"`
	}
	if err := json.Unmarshal([]byte(ours.output), &found); err != nil {
		return fmt.Errorf("replay backtest %s: %s: %w", o.logs, ours.failed, err)
	}
	if _, err := fmt.Fprint(w, "| | recorded | Sparklens | `replay backtest` |\n|---|---|---|---|\n"); err != nil {
		return err
	}
	var theirErrors, ourErrors []float64
	theirs := time.Duration(0)
	for _, app := range found.Applications {
		log := filepath.Join(dir, "log")
		if err := unpack(o.logs, app.Recording, log); err != nil {
			return err
		}
		c, err := run(ctx, o.limit, "", "java", "-XX:+UseSerialGC", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens", "java.base/java.nio=ALL-UNNAMED",
			"-cp", o.sparklensJar+string(filepath.ListSeparator)+lib+"/*", "com.qubole.sparklens.app.ReporterApp", log, "source=history")
		if err != nil {
			return err
		}
		e, err := readEstimate(c.output)
		says := fmt.Sprintf("%+d %%", e.percent)
		switch {
		case c.failed != "":
			says = c.failed
		case err != nil:
			says = err.Error()
		default: // both of the same logs
			theirs += c.cpu
			theirErrors, ourErrors = append(theirErrors, math.Abs(float64(e.percent))), append(ourErrors, math.Abs(100*app.Error))
		}
		if _, err := fmt.Fprintf(w, "| %s | %.1f s | %s | %+.1f %% |\n", app.Name, float64(app.Recorded)/1000, says, 100*app.Error); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "| **absolute error of %d, median, largest** | | %s | %s |\n| CPU | | %.1f s | %.1f s, five seeds |\n",
		len(theirErrors), spread(theirErrors), spread(ourErrors), theirs.Seconds(), ours.cpu.Seconds())
	return err
}

// spread is the median and the largest of absolute errors in percent.
func spread(errors []float64) string {
	if len(errors) == 0 {
		return "–"
	}
	slices.Sort(errors)
	n := len(errors)
	return fmt.Sprintf("%.1f %%, %.1f %%", (errors[(n-1)/2]+errors[n/2])/2, errors[n-1])
}

// unpack writes the plain event log of a recording, as `replay backtest` names it, to a file: Sparklens knows neither zstd nor rolling logs.
func unpack(logs, recording, to string) (err error) {
	files, err := logFiles(logs, recording)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	for _, path := range files {
		in, err := codec.Open(path, "", 0)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

var rolled = regexp.MustCompile(`^events_(\d+)_`)

// logFiles lists the files of a recording below logs in order.
func logFiles(logs, recording string) (files []string, err error) {
	logs, err = filepath.Abs(logs)
	if err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	err = filepath.WalkDir(logs, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		path = filepath.ToSlash(path)
		if strings.HasSuffix(path, "/"+recording) {
			files = append(files, path)
		} else if m := rolled.FindStringSubmatch(d.Name()); m != nil && strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "/"+recording) {
			files = append(files, path)
			numbers[path], err = strconv.Atoi(m[1])
		}
		return err
	})
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no recording %s", logs, recording)
	}
	return files, err
}
