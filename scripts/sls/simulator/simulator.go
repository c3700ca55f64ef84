// Package simulator gets YARN's Scheduler Load Simulator (hadoop-sls) from Maven and says how it is run on what `replay trace export --format sls` writes.
package simulator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Simulator is one that is installed.
type Simulator struct {
	source, classpath string // absolute
}

// Install gets its jars from Maven and compiles what starts it, both below out. Source is the directory scripts/sls. It needs Maven and a JDK of 17 or later.
func Install(ctx context.Context, source, out string) (*Simulator, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	lib, classes := filepath.Join(out, "lib"), filepath.Join(out, "classes")
	if err := os.MkdirAll(classes, 0o777); err != nil {
		return nil, err
	}
	for _, words := range [][]string{
		{"mvn", "-q", "-B", "-f", source, "dependency:copy-dependencies", "-DoutputDirectory=" + lib, "-DincludeScope=runtime"},
		{"javac", "-nowarn", "-cp", lib + "/*", "-d", classes, filepath.Join(source, "src/replay/Run.java")},
	} {
		if said, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, said)
		}
	}
	return &Simulator{source, classes + string(filepath.ListSeparator) + lib + "/*"}, nil
}

// Site is the file of settings that both programs read, below a directory that [Simulator.Command] was given, and Queues that of queues.
const (
	Site   = "conf/sls-runner.xml"
	Queues = "conf/fair-scheduler.xml"
)

// Command lays its settings below dir and returns the command that runs the exported jobs and nodes there, until all applications have ended. More are options of java.
func (s *Simulator) Command(dir, jobs, nodes string, more ...string) ([]string, error) {
	if err := os.CopyFS(filepath.Join(dir, "conf"), os.DirFS(filepath.Join(s.source, "conf"))); err != nil {
		return nil, err
	}
	// Some of the simulator's classes know core-site.xml alone.
	site, err := os.ReadFile(filepath.Join(dir, Site))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "conf/core-site.xml"), site, 0o666); err != nil {
		return nil, err
	}
	words := append([]string{"java", "-Xmx700m", "-XX:+UseSerialGC", "--add-opens", "java.base/java.lang=ALL-UNNAMED"}, more...)
	return append(words, "-cp", filepath.Join(dir, "conf")+string(filepath.ListSeparator)+s.classpath, "replay.Run",
		"-tracetype", "SLS", "-tracelocation", jobs, "-nodes", nodes, "-output", filepath.Join(dir, "sls")), nil
}

// Replay is the command that replays a trace as the simulator runs it, with the settings below dir.
func Replay(program, trace, dir string, more ...string) []string {
	words := []string{program, "run", trace, "--yarn-site", filepath.Join(dir, Site), "--fair-scheduler", filepath.Join(dir, Queues)}
	for _, m := range model {
		words = append(words, "--model", m)
	}
	return append(words, more...)
}

// model has the latencies of the simulator: processes take no time, and nothing is read from afar. But its application masters look at the answer to a
// heartbeat with the next one: a process starts a second after its container was handed out, and a job of MapReduce ends two seconds after its last task, as that is heard of from the nodes.
var model = []string{
	"am-start-ms=0", "nm-start-ms=1000", "task-start-ms=0", "task-exit-ms=0", "mr-commit-ms=2000", "mr-stop-ms=0", "stop-ms=0", "kill-ms=0", "rack-penalty=1", "any-penalty=1",
}
