package command

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// picture says which of our packages each may import; docs/architecture.md draws it. A name that ends in ... stands
// for all packages below it, as a key for those that have no line of their own.
var picture = map[string][]string{
	"replay/input":             nil,              // opens what is read
	"replay/input/yamltext":    nil,              // bounds YAML before it is parsed
	"replay/shown":             nil,              // what people look at
	"replay/counted":           nil,              // "1 job", "3 jobs"
	"replay/duration":          nil,              // 90s, 1h30m, 7d
	"replay/sealed":            {"replay/input"}, // whether files are as they were written
	"replay/sealed/sealedtest": {"replay/sealed"},
	"replay/outdir":            nil,               // puts what is written in its place
	"replay/spill":             {"replay/outdir"}, // groups and sorts more than memory holds

	"replay/trace/importer":           {"replay/counted", "replay/trace", "replay/trace/importer/..."},
	"replay/trace/importer/workload":  {"replay/duration", "replay/trace/importer/foreign", "replay/counted", "replay/input", "replay/outdir", "replay/trace", "replay/trace/hdfs", "replay/trace/tablefile", "replay/trace/importer/codec", "replay/trace/importer/lines", "replay/trace/importer/recorded", "replay/trace/importer/rmnodes", "replay/spill"},
	"replay/trace/importer/recorded":  {"replay/trace", "replay/trace/tablefile"},
	"replay/trace/importer/rmnodes":   nil,
	"replay/trace/importer/foreign":   nil,
	"replay/trace/importer/codec":     {"replay/input"},
	"replay/trace/importer/lines":     nil,
	"replay/trace/importer/jsontext":  nil,
	"replay/trace/importer/...":       {"replay/duration", "replay/counted", "replay/input", "replay/spill", "replay/trace", "replay/trace/decima", "replay/trace/tablefile", "replay/trace/importer/..."}, // formats
	"replay/trace/importer/eventlog":  {"replay/policy/resource", "replay/counted", "replay/input", "replay/trace", "replay/trace/importer/..."},
	"replay/trace/importer/mapreduce": {"replay/policy/resource", "replay/trace", "replay/trace/importer/recorded", "replay/trace/importer/workload"},
	"replay/trace/importer/swim":      {"replay/trace/importer/delimited", "replay/trace", "replay/trace/importer/workload", "replay/trace/importer/importtest", "replay/trace/synth/model"},

	"replay/policy/resource":              nil,
	"replay/policy":                       {"replay/policy/autoscale", "replay/policy/resource"},
	"replay/policy/starlark":              {"replay/policy", "replay/policy/autoscale", "replay/policy/resource"},
	"replay/policy/autoscale":             {"replay/duration", "replay/policy/resource"},
	"replay/policy/starlark/starlarktest": {"replay/policy", "replay/policy/starlark"},
	"replay/trace":                        {"replay/input", "replay/sealed", "replay/outdir", "replay/spill", "replay/trace/tablefile"},
	"replay/trace/tablefile":              {"replay/input", "replay/spill"},
	"replay/trace/export":                 {"replay/outdir", "replay/trace", "replay/trace/tablefile"},
	"replay/trace/edit":                   {"replay/counted", "replay/trace", "replay/trace/view"},
	"replay/trace/view":                   {"replay/trace"},
	"replay/trace/portrait":               {"replay/counted", "replay/trace"},
	"replay/trace/hdfs":                   {"replay/trace"},
	"replay/trace/synth":                  {"replay/counted", "replay/trace", "replay/trace/decima", "replay/trace/hdfs", "replay/trace/synth/model"},
	"replay/trace/decima":                 {"replay/input", "replay/trace"},
	"replay/trace/synth/model":            {"replay/trace"},
	"replay/heap":                         nil,
	"replay/engine/record":                nil,
	"replay/engine/protocol":              {"replay/policy/resource", "replay/engine/fetch", "replay/engine/reuse", "replay/engine/yarn/jvm"},
	"replay/engine/yarn/jvm":              {"replay/engine/fetch"},
	"replay/engine/spelling":              nil,
	"replay/engine/remark":                nil,
	"replay/engine/yarn/conf":             {"replay/input", "replay/engine/remark", "replay/policy", "replay/policy/resource", "replay/engine/spelling", "replay/engine/yarn/jvm"},
	"replay/engine/yarn":                  {"replay/policy", "replay/policy/resource", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/yarn/conf", "replay/engine/yarn/jvm"},
	"replay/engine/yarn/fifo":             {"replay/policy/resource", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/yarn", "replay/engine/yarn/conf", "replay/engine/yarn/jvm"},
	"replay/engine/yarn/fair":             {"replay/policy", "replay/policy/resource", "replay/engine/fetch", "replay/engine/lineup", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/yarn", "replay/engine/yarn/conf", "replay/engine/yarn/jvm"},
	"replay/engine/yarn/capacity":         {"replay/policy", "replay/policy/resource", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/yarn", "replay/engine/yarn/capacity/ideal", "replay/engine/yarn/conf", "replay/engine/yarn/jvm"},
	"replay/engine/yarn/capacity/ideal":   {"replay/policy/resource", "replay/engine/yarn/jvm"},
	"replay/engine/yarn/rm":               {"replay/policy/resource", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/yarn", "replay/engine/yarn/conf", "replay/engine/yarn/jvm"},
	"replay/engine/spark/conf":            {"replay/engine/remark", "replay/policy/resource", "replay/engine/spelling", "replay/trace"},
	"replay/engine/spark/scala":           nil,
	"replay/engine/spark":                 {"replay/input", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/sorted", "replay/engine/spark/conf", "replay/engine/spark/scala", "replay/trace"},
	"replay/engine/spark/allocator":       {"replay/policy", "replay/policy/resource", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/spark", "replay/engine/spark/conf"},
	"replay/engine/mapreduce":             {"replay/policy/resource", "replay/engine/master", "replay/engine/protocol", "replay/engine/record", "replay/engine/model", "replay/engine/pertask", "replay/engine/mapreduce/allocator", "replay/engine/mapreduce/conf", "replay/trace"},
	"replay/engine/generic":               {"replay/policy/resource", "replay/engine/master", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/record", "replay/engine/model", "replay/engine/pertask", "replay/engine/spelling", "replay/trace"},
	"replay/engine/pertask":               {"replay/engine/master", "replay/engine/protocol", "replay/engine/reuse", "replay/engine/record", "replay/engine/model", "replay/trace"},
	"replay/engine/mapreduce/conf":        {"replay/policy/resource", "replay/engine/mapreduce/allocator", "replay/engine/remark", "replay/engine/spelling"},
	"replay/engine/mapreduce/allocator":   {"replay/policy/resource", "replay/engine/protocol"},
	"replay/engine/random":                {"replay/trace"},
	"replay/engine/fetch":                 nil,
	"replay/engine/foreseen":              {"replay/engine/fetch", "replay/engine/record"},
	"replay/engine/reuse":                 nil,
	"replay/engine/lineup":                nil,
	"replay/engine/sorted":                nil,
	"replay/engine/snapshot":              nil,
	"replay/engine/master":                {"replay/policy/resource", "replay/engine/protocol", "replay/engine/random", "replay/engine/record", "replay/trace"},
	"replay/engine/master/mastertest":     {"replay/policy/resource", "replay/engine/master", "replay/engine/protocol", "replay/engine/random", "replay/engine/record", "replay/trace"},
	"replay/engine/spark/driver":          {"replay/policy", "replay/policy/resource", "replay/engine/master", "replay/engine/fetch", "replay/engine/protocol", "replay/engine/random", "replay/engine/record", "replay/engine/reuse", "replay/engine/model", "replay/engine/sorted", "replay/engine/spark", "replay/engine/spark/allocator", "replay/engine/spark/conf", "replay/engine/spark/scala", "replay/trace"},
	"replay/engine/model":                 nil,
	"replay/engine/price":                 {"replay/duration", "replay/engine/record", "replay/trace"},
	"replay/engine/scenario/queuefile":    {"replay/engine/yarn/conf", "replay/trace"},
	"replay/engine/scenario": {"replay/engine/scenario/queuefile", "replay/input", "replay/engine/price", "replay/engine/remark", "replay/policy", "replay/policy/autoscale", "replay/trace", "replay/trace/view", "replay/engine/protocol", "replay/engine/random", "replay/engine/record", "replay/engine/spelling", "replay/engine/model", "replay/engine/generic", "replay/engine/mapreduce", "replay/engine/mapreduce/conf", "replay/engine/spark", "replay/engine/spark/conf", "replay/engine/spark/driver",
		"replay/engine/yarn", "replay/engine/yarn/fair", "replay/engine/yarn/conf", "replay/engine/yarn/fifo", "replay/engine/yarn/capacity"},
	"replay/engine/scenario/scenariotest": {"replay/engine/model", "replay/engine/random", "replay/engine/scenario", "replay/trace", "replay/engine/spark/driver"},
	"replay/engine/depend":                {"replay/engine/record", "replay/trace"},
	"replay/engine/ideal":                 {"replay/engine/depend", "replay/policy/resource", "replay/engine/generic", "replay/engine/mapreduce", "replay/engine/record", "replay/engine/scenario", "replay/engine/spark/driver", "replay/trace"},
	"replay/engine":                       {"replay/policy", "replay/policy/autoscale", "replay/policy/resource", "replay/trace", "replay/engine/..."},

	"replay/report/quantity":   {"replay/counted"},
	"replay/report/dist":       nil,
	"replay/report/sums":       nil,
	"replay/report/shares":     {"replay/engine/record", "replay/report/sums"},
	"replay/report/tables":     {"replay/engine/record", "replay/input", "replay/trace/tablefile"},
	"replay/report/checkpoint": {"replay/engine/record", "replay/input", "replay/sealed"},
	"replay/report/result":     {"replay/input", "replay/engine/snapshot", "replay/sealed", "replay/trace/tablefile", "replay/engine/record", "replay/report/dist", "replay/report/sums", "replay/outdir", "replay/report/quantity", "replay/report/shares", "replay/report/tables"},
	"replay/report/metric":     {"replay/shown", "replay/engine/record", "replay/report/dist", "replay/report/quantity", "replay/report/result"},
	"replay/report/figure":     {"replay/outdir", "replay/shown", "replay/report/dist", "replay/report/quantity"},
	"replay/report/plot":       {"replay/engine/record", "replay/report/figure", "replay/report/quantity", "replay/report/result", "replay/report/sums", "replay/report/shares"},
	"replay/report/portrait":   {"replay/outdir", "replay/shown", "replay/report/figure", "replay/report/page", "replay/report/quantity", "replay/trace", "replay/trace/portrait"},
	"replay/report/page":       {"replay/shown", "replay/engine/record", "replay/report/explain", "replay/report/figure", "replay/report/metric", "replay/report/quantity", "replay/report/result", "replay/report/shares"},
	"replay/report/inference":  {"replay/counted", "replay/report/dist"},
	"replay/report/compare":    {"replay/report", "replay/sealed", "replay/shown", "replay/engine/record", "replay/report/dist", "replay/report/figure", "replay/report/inference", "replay/report/metric", "replay/outdir", "replay/report/page", "replay/report/parting", "replay/report/plot", "replay/report/quantity", "replay/report/result", "replay/report/sums"},
	"replay/report/target":     {"replay/duration", "replay/engine/spelling", "replay/report/metric", "replay/report/quantity"},
	"replay/report/parting":    {"replay/shown", "replay/engine/record", "replay/report/quantity", "replay/report/result", "replay/trace"},
	"replay/report/explain":    {"replay/shown", "replay/engine/record", "replay/report/parting", "replay/report/quantity", "replay/report/result", "replay/trace"},
	"replay/report/plan":       {"replay/shown", "replay/engine/record", "replay/trace", "replay/report/metric", "replay/report/page", "replay/outdir", "replay/report/dist", "replay/report/figure", "replay/report/inference", "replay/report/quantity", "replay/report/target"},
	"replay/report/ci":         nil,
	"replay/report/gate":       {"replay/shown", "replay/engine/record", "replay/report/ci", "replay/report/compare", "replay/report/inference", "replay/report/metric", "replay/report/page", "replay/report/quantity", "replay/report/result", "replay/report/target"},
	"replay/report/prediction": {"replay/counted", "replay/shown", "replay/engine/record", "replay/report/dist", "replay/report/figure", "replay/outdir", "replay/report/page", "replay/report/quantity"},
	"replay/report/paper":      {"replay/shown", "replay/outdir", "replay/report/compare", "replay/report/compare/pictures", "replay/report/figure", "replay/report/metric", "replay/report/plot", "replay/report/quantity"},
	"replay/report/verify":     {"replay/input", "replay/sealed", "replay/spill", "replay/trace/tablefile"},
	"replay/report/timeline":   {"replay/input", "replay/sealed", "replay/engine/record", "replay/trace/tablefile"},
	"replay/report/reporttest": {"replay/engine/record", "replay/report/result"},

	"replay/report/compare/pictures":   {"replay/report/compare", "replay/report/figure", "replay/report/plot", "replay/report/quantity", "replay/report/result", "replay/report/shares"},
	"replay/report/reporttest/browser": nil,
	"replay/report":                    {"replay/report/checkpoint", "replay/shown", "replay/engine/record", "replay/report/explain", "replay/report/figure", "replay/report/metric", "replay/outdir", "replay/report/page", "replay/report/plot", "replay/report/result", "replay/report/verify", "replay/trace"},

	"replay/bench/answers":             {"replay/outdir", "replay/report/dist", "replay/report/explain", "replay/report/result", "replay/trace"},
	"replay/bench/random":              {"replay/outdir", "replay/engine", "replay/engine/price", "replay/engine/record", "replay/engine/scenario", "replay/engine/scenario/scenariotest", "replay/report", "replay/report/explain", "replay/report/verify"},
	"replay/bench":                     {"replay/bench/...", "replay/engine/...", "replay/engine", "replay/trace", "replay/trace/synth"},
	"replay/bench/imports":             {"replay/bench/measure", "replay/heap", "replay/outdir", "replay/trace/importer", "replay/trace/importer/..."},
	"replay/bench/papers":              {"replay/outdir", "replay/engine", "replay/engine/record", "replay/engine/scenario", "replay/policy", "replay/report/figure", "replay/trace", "replay/trace/synth"},
	"replay/bench/samples":             {"replay/outdir"},
	"replay/bench/cases":               {"replay/engine/scenario", "replay/trace", "replay/trace/synth"},
	"replay/bench/measure":             nil,
	"replay/bench/peers":               {"replay/bench/cases", "replay/bench/measure", "replay/scripts/sls/simulator", "replay/trace/importer/codec"},
	"replay/bench/peers/w1":            {"replay/bench/cases", "replay/engine", "replay/engine/record", "replay/engine/scenario", "replay/trace"},
	"replay/bench/statistics":          {"replay/outdir", "replay/engine", "replay/engine/scenario", "replay/report", "replay/report/...", "replay/trace", "replay/trace/synth"},
	"replay/bench/conform/golden":      {"replay/input", "replay/engine/protocol", "replay/policy/resource"},
	"replay/bench/regress":             {"replay/input", "replay/outdir", "replay/engine/record", "replay/report/ci"},
	"replay/bench/workload":            {"replay/bench/cases", "replay/bench/measure", "replay/bench/regress", "replay/engine", "replay/engine/record", "replay/engine/scenario", "replay/report", "replay/trace"},
	"replay/bench/conform/conformtest": {"replay/bench/conform"},
	"replay/bench/conform/live":        {"replay/input", "replay/bench/conform/golden", "replay/engine/...", "replay/policy", "replay/policy/resource"},
	"replay/bench/conform/yarn":        {"replay/bench/conform/golden", "replay/engine/protocol", "replay/engine/yarn", "replay/engine/yarn/...", "replay/policy", "replay/policy/resource"},
	"replay/bench/conform/spark":       {"replay/bench/conform/golden", "replay/engine/...", "replay/policy", "replay/policy/resource", "replay/trace"},
	"replay/bench/conform/mapreduce":   {"replay/bench/conform/golden", "replay/engine/mapreduce/...", "replay/engine/protocol", "replay/policy/resource"},
	"replay/bench/conform":             {"replay/bench/conform/golden", "replay/bench/conform/live", "replay/bench/conform/mapreduce", "replay/bench/conform/spark", "replay/bench/conform/yarn"},
	"replay/backtest":                  {"replay/counted", "replay/engine/protocol", "replay/engine", "replay/engine/model", "replay/engine/record", "replay/engine/scenario", "replay/engine/spark/driver", "replay/engine/yarn/conf", "replay/report/prediction", "replay/trace", "replay/trace/importer", "replay/trace/importer/..."},
	"replay/sweep":                     {"replay/input", "replay/input/yamltext", "replay/outdir", "replay/sealed", "replay/engine/record", "replay/engine/scenario", "replay/engine/spark", "replay/report/dist", "replay/report/figure", "replay/report/inference", "replay/report/metric", "replay/report/page", "replay/report/quantity"},
	"replay/sweep/on":                  {"replay/outdir", "replay/sweep"},
	"replay/live":                      {"replay/counted", "replay/input", "replay/outdir", "replay/trace/importer/codec", "replay/trace/importer/hadoopxml", "replay/trace/importer/lines", "replay/trace/importer/rmnodes"},
	"replay/live/livetest":             nil,
	"replay/tune":                      {"replay/outdir", "replay/report/dist", "replay/report/inference", "replay/report/metric", "replay/report/page", "replay/report/quantity", "replay/report/target", "replay/sweep"},
	"replay/cmd/replay/command":        {"replay/..."},
	"replay/cmd/replay/cmdline":        {"replay/duration", "replay/engine", "replay/engine/spelling", "replay/input", "replay/report", "replay/report/metric", "replay/shown", "replay/trace"},
	"replay/cmd/replay/settings":       {"replay/cmd/replay/cmdline", "replay/engine/price", "replay/engine/record", "replay/engine/scenario", "replay/input", "replay/input/yamltext", "replay/policy", "replay/policy/autoscale", "replay/policy/starlark", "replay/trace", "replay/trace/view"},
	"replay/cmd/replay/tracecmd":       {"replay/duration", "replay/counted", "replay/cmd/replay/cmdline", "replay/engine/mapreduce/conf", "replay/engine/spark/conf", "replay/heap", "replay/input", "replay/live", "replay/outdir", "replay/report", "replay/report/portrait", "replay/report/quantity", "replay/report/timeline", "replay/shown", "replay/trace", "replay/trace/portrait", "replay/trace/..."},
	"replay/cmd/replay/selfcmd":        {"replay/bench/conform", "replay/cmd/replay/cmdline", "replay/outdir"},
	"replay/cmd/replay/resultcmd":      {"replay/input", "replay/shown", "replay/cmd/replay/cmdline", "replay/engine/record", "replay/report", "replay/report/..."},
	"replay/cmd/replay":                {"replay/cmd/replay/command", "replay/policy"},
	"replay/scripts/mutate":            {"replay/counted", "replay/outdir"},
	"replay/scripts/sls":               {"replay/scripts/sls/simulator", "replay/trace/tablefile"},
	"replay/scripts/sls/simulator":     nil,
	"replay/scripts/fused":             {},
	"replay/scripts/profile":           {"replay/outdir"},
	"replay/scripts/image":             {"replay/outdir"},
	"replay/scripts/hostile":           {"replay/live/livetest", "replay/outdir", "replay/cmd/replay/command", "replay/policy", "replay/report", "replay/sealed", "replay/trace", "replay/trace/synth"},
}

// outside says which packages may import something that is neither ours nor the standard library's.
var outside = []string{"replay/input/yamltext", "replay/shown", "replay/policy/starlark", "replay/bench/conform/golden", "replay/bench/imports", "replay/trace", "replay/trace/export", "replay/trace/tablefile", "replay/trace/importer/...", "replay/trace/synth", "replay/trace/synth/model", "replay/live", "replay/sweep", "replay/sweep/on", "replay/scripts/image", "replay/scripts/fused", "replay/scripts/profile", "replay/cmd/replay/...",
	"replay/report/checkpoint", "replay/report/dist", "replay/report/result", "replay/report/tables", "replay/report/figure", "replay/report/page", "replay/report/compare", "replay/report/inference", "replay/report/paper", "replay/report/portrait", "replay/report/prediction", "replay/report/reporttest", "replay/report/reporttest/browser", "replay/report/verify"}

func TestImportPicture(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "replay/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		pkg := fields[0]
		allowed, known := picture[pkg]
		for key, below := range picture {
			if !known && strings.HasSuffix(key, "...") && matches(key, pkg) {
				allowed, known = below, true
			}
		}
		if !known {
			t.Errorf("%s is not in the picture", pkg)
			continue
		}
		for _, imp := range fields[1:] {
			ours := strings.HasPrefix(imp, "replay/")
			switch {
			case ours && !slices.ContainsFunc(allowed, func(a string) bool { return matches(a, imp) }):
				t.Errorf("%s imports %s, which the picture does not have", pkg, imp)
			case !ours && strings.Contains(strings.Split(imp, "/")[0], ".") && !slices.ContainsFunc(outside, func(o string) bool { return matches(o, pkg) }):
				t.Errorf("%s imports %s; only %v may import from outside", pkg, imp, outside)
			}
		}
	}
}

// TestPackagesAreListed: docs/packages.md has every package with the first sentence of what it says of itself; -update writes it.
func TestPackagesAreListed(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{.Doc}}`, "replay/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var b strings.Builder
	b.WriteString("# Packages\n\nEvery package and command, with the first sentence of what it says of itself (`go doc ./PACKAGE` has the rest). [architecture.md](architecture.md) says how they stand to each other.\n\n| package | |\n|---|---|\n")
	link, name := regexp.MustCompile(`\[(\S+)\]`), regexp.MustCompile(`^(Package|Command) \S+ `)
	for line := range strings.Lines(string(out)) {
		path, says, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !name.MatchString(says) {
			t.Errorf("%s says nothing of itself, but %q", path, says)
		}
		says = strings.TrimRight(link.ReplaceAllString(name.ReplaceAllString(says, ""), "`$1`"), ".:")
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.TrimPrefix(path, "replay/"), strings.ReplaceAll(says, "|", "\\|"))
	}
	const page = top + "/docs/packages.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(page); err != nil || string(text) != b.String() {
		t.Errorf("docs/packages.md is not what the packages say of themselves (%v; -update writes it)", err)
	}
}

// matches tells whether a name of the picture stands for a package.
func matches(name, pkg string) bool {
	prefix, deep := strings.CutSuffix(name, "...")
	return pkg == name || deep && strings.HasPrefix(pkg, prefix)
}
