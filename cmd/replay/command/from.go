package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/cmd/replay/selfcmd"
	"replay/cmd/replay/settings"
	"replay/engine/record"
	"replay/input"
	"replay/report/quantity"
	"replay/sealed"
	"replay/trace"
)

// telling are the flags that only say where results go, how much is said of them and how many work at once: they are no part
// of how a result was made, and stand beside --from.
var telling = []string{"out", "quiet", "q", "progress", "color", "jobs", "j", "json", "all", "allow-failures", "checkpoint-at", "checkpoint-every", "restore", "from"}

// besideFrom are the flags that stand beside --from: telling, and that the results of a comparison are kept too, which changes nothing in it.
var besideFrom = append(slices.Clone(telling), "results")

// fromFlag is the flag that makes a result again.
func fromFlag(file string) cli.Flag {
	return &cli.StringFlag{Name: "from", Usage: "make the result again that `FILE`, a " + file + ", or the directory of it, describes: with its flags and files, from its trace or from TRACE"}
}

// silently are the flags of a replay of which another command tells.
var silently = []string{"-q", "--progress", "off"}

// stored is a result of replay run, to be replayed again.
type stored struct {
	dir      string
	manifest record.Manifest
	args     []string // of the command that replays it again
}

// resultAgain finds a result by its directory or its run.json. Where its trace is may be "", which is to be found.
func resultAgain(path, where string) (*stored, error) {
	dir, name := path, "run.json"
	if filepath.Base(path) == name {
		dir = filepath.Dir(path)
	}
	file := filepath.Join(dir, name)
	text, err := input.ReadFile(file)
	if err != nil {
		if _, there := os.Stat(file); there != nil {
			return nil, cmdline.NotResult(path)
		}
		return nil, err
	}
	s := &stored{dir: dir, args: append([]string{"replay", "run", "--from", file}, silently...)}
	if err := sealed.Unmarshal(text, &s.manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if where != "" {
		s.args = append(s.args, cmdline.Operand(where))
	}
	return s, nil
}

// replayAgain runs a command that replays, with changes if there are more words, and prints nothing, for a command with the flag --trace. Hears may be nil.
func (p *program) replayAgain(ctx context.Context, args, more []string, hears listener) error {
	next := &program{settings: settings.New(p.settings.Policies), commands: p.commands, more: more, listener: hears, checkpoints: checkpoints{changed: len(more) > 0}}
	return saidByFlag(next.run(ctx, args, io.Discard, io.Discard))
}

// origin is where a command's words and files come from when it makes a result again.
type origin struct {
	file    string
	made    *record.Made // nil when it is made otherwise now
	command string       // that made it
	traces  []string     // hashes
}

// described is what run.json and comparison.json have in common.
type described struct {
	Made     *record.Made `json:"made"`
	Name     string       `json:"trace"`
	Trace    string       `json:"trace_sha256"`
	Traces   []wanted     `json:"traces"` // of a comparison
	Version  string       `json:"program_version"`
	Commit   string       `json:"program_commit"`
	Modified bool         `json:"program_modified"`
}

// readDescribed reads a run.json or comparison.json, with its traces and the files from which it was made.
func readDescribed(text []byte) (d described, traces []wanted, files *settings.Files, err error) {
	err = sealed.Unmarshal(text, &d)
	if _, is := sealed.Decode(text); is != nil {
		return d, nil, nil, errors.New("is no JSON; want the run.json or comparison.json of replay run or replay compare")
	}
	if err != nil && d.Made != nil {
		return d, nil, nil, err
	}
	if d.Made == nil || len(d.Made.Command) < 2 {
		return d, nil, nil, errors.New("does not say how it was made; want the run.json or comparison.json of replay run or replay compare")
	}
	if traces = d.Traces; len(traces) == 0 {
		traces = []wanted{{d.Name, d.Trace}}
	}
	if len(d.Made.Command) < 1+len(traces) {
		return d, nil, nil, fmt.Errorf("its command %q does not name its traces", strings.Join(d.Made.Command, " "))
	}
	files, err = settings.FilesOf(d.Made)
	return d, traces, files, err
}

// describing is the file in its directory that says how a result of a command was made.
var describing = map[string]string{"run": "run.json", "compare": "comparison.json"}

// isFile reports whether there is a regular file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// again runs the command c once more with the words and files of the result that --from names.
func (p *program) again(c *cli.Context) error {
	file, name := c.String("from"), c.Command.Name
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		in := ""
		for _, of := range []string{name, "run", "compare"} {
			if path := filepath.Join(file, describing[of]); in == "" && describing[of] != "" && isFile(path) {
				in = path
			}
		}
		switch {
		case in != "":
			file = in
		case name == "compare":
			return cmdline.NotComparison(file)
		default:
			return cmdline.NotResult(file)
		}
	}
	text, err := input.ReadFile(file)
	if err != nil {
		return err
	}
	d, traces, files, err := readDescribed(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if made := d.Made.Command[0]; made != name {
		return cmdline.Usagef("--from is %s, which replay %s made: use replay %s --from", file, made, made)
	}
	if n := len(traces); c.NArg() > n {
		return cmdline.Usagef("%s --from wants %s or none, got %d arguments", name, quantity.Counted(int64(n), "traces"), c.NArg())
	}
	if err := checkMade(c, d.Made.Command[1+len(traces):]); err != nil {
		return fmt.Errorf("%s: its command %q %w", file, strings.Join(d.Made.Command, " "), err)
	}
	args := slices.Clone(d.Made.Command)
	for i := range p.words.Flags {
		f := &p.words.Flags[i]
		if !slices.Contains(besideFrom, f.Name) {
			beside := slices.DeleteFunc(slices.Clone(besideFrom), func(flag string) bool {
				return len(flag) == 1 || flag == "from" || flag == "results" && name != "compare"
			})
			return cmdline.Usagef("--%s has no place beside --from, which takes all flags from %s but --%s", f.Name, file, strings.Join(beside, ", --"))
		}
		if f.Name != "from" {
			args = append(args, f.Words()...)
		}
	}
	dirs, err := findTraces(file, name, traces, c.Args().Slice())
	if err != nil {
		return err
	}
	copy(args[1:], cmdline.Operands(dirs))
	if b := selfcmd.Built(); d.Version != b.Version || d.Commit != b.Commit || d.Modified != b.Modified || d.Modified {
		if !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s was made by %s and this is %s: the bytes may differ\n", file, selfcmd.Build{Version: d.Version, Commit: d.Commit, Modified: d.Modified}, b)
		}
	}
	made := d.Made
	if len(p.more) > 0 { // another result, which says itself how it was made
		args, made = append(args, p.more...), nil
		files.ReadOthers()
	}
	next := &program{settings: &settings.Reader{Policies: p.settings.Policies, Files: files}, commands: p.commands, origin: &origin{file, made, d.Made.Command[0], hashesOf(traces)}, listener: p.listener, checkpoints: p.checkpoints}
	return next.run(c.Context, append([]string{"replay"}, args...), c.App.Writer, c.App.ErrWriter)
}

// checkMade refuses words behind the traces of a command that makes a result where they are no settings of the replay: the file that holds them comes
// from anywhere, and where to read and write is said by the one who runs the program.
func checkMade(c *cli.Context, words []string) error {
	w := cmdline.Split(nil, c.Command.Flags, words)
	elsewhere := func(f cmdline.FlagWord) bool {
		return slices.Contains(telling, f.Name) || f.Name == "traces" || f.Flag == cli.HelpFlag || f.Flag != nil && !slices.Contains(c.Command.Flags, f.Flag)
	}
	if i := slices.IndexFunc(w.Flags, elsewhere); i >= 0 {
		return fmt.Errorf("has --%s, want only what says how the replay is made", w.Flags[i].Name)
	}
	if len(w.Arguments) > 0 {
		return fmt.Errorf("has %q, want only flags after its traces", w.Arguments[0])
	}
	if err := w.Wrong(c.Command.Flags, "replay "+c.Command.Name); err != nil {
		return fmt.Errorf("has an %v", err) // not of the user's words
	}
	return nil
}

// made says how the command's result is made. After --from it is what the file says.
func (p *program) made() *record.Made {
	if p.origin != nil && p.origin.made != nil {
		return p.origin.made
	}
	return p.settings.Files.Made(p.telling())
}

// telling returns the words of the command without the flags of [telling]. Traces are the first arguments, by name: results do not depend on
// where they are.
func (p *program) telling() []string {
	return slices.Concat(p.words.Commands, p.traces, p.words.Without(telling))
}

// signed adds to the manifest which program made it, and how.
func signed(m *record.Manifest, made *record.Made) {
	b := selfcmd.Built()
	m.ProgramVersion, m.Commit, m.Modified, m.Made = b.Version, b.Commit, b.Modified, made
}

// checkTrace says that a trace is not the one that the result was made from.
func (p *program) checkTrace(t *trace.Trace) error {
	if o := p.origin; o != nil && !slices.Contains(o.traces, t.Hash()) {
		return &elsewhere{fmt.Sprintf("%s was made from the trace %s, and %s is %s", o.file, strings.Join(o.traces, " and "), t.Dir(), t.Hash()), saidByFrom(o.command, o.file)}
	}
	return nil
}

// elsewhere is the error that the trace of a result is not where it is looked for.
type elsewhere struct{ text, how string }

func (e *elsewhere) Error() string { return e.text + ": say where that trace is, " + e.how }

// saidByFrom is how a command that makes a result again is told where its trace is.
func saidByFrom(command, file string) string {
	return fmt.Sprintf("as replay %s --from %s TRACE", command, file)
}

// saidByFlag makes an error that a trace is elsewhere one of a command with the flag --trace; other errors stay.
func saidByFlag(err error) error {
	var e *elsewhere
	if errors.As(err, &e) {
		e.how = "with --trace DIR"
	}
	return err
}

// wanted is a trace that a result was made from.
type wanted struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (w wanted) String() string { return fmt.Sprintf("%s (%s)", w.Name, w.SHA256) }

func hashesOf(traces []wanted) (out []string) {
	for _, t := range traces {
		out = append(out, t.SHA256)
	}
	return out
}

// mostFolders is how many folders are looked at for traces.
const mostFolders = 10_000

// findTraces returns where the traces of a result are, by their hashes. They are among the given folders and those in them; with none
// given, among those in the working directory and beside the result, and in the folders of these.
func findTraces(file, command string, traces []wanted, given []string) ([]string, error) {
	places, patterns := given, []string{"", "*"}
	if len(given) == 0 {
		places, patterns = []string{".", filepath.Dir(filepath.Dir(filepath.Clean(file)))}, []string{"", "*", "*/*"}
	}
	var folders []string
	for _, place := range places {
		for _, pattern := range patterns {
			found, err := filepath.Glob(filepath.Join(escapeGlob(place), pattern, "trace.json"))
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				folders = append(folders, filepath.Dir(f))
			}
		}
	}
	at := map[string]string{}
	var others []string
	for _, dir := range folders[:min(len(folders), mostFolders)] {
		hash, ok := trace.HashAt(dir)
		if !ok {
			if hash, ok = openedHash(dir); !ok {
				continue
			}
		}
		if _, twice := at[hash]; !twice {
			at[hash] = dir
		}
		others = append(others, dir)
	}
	var dirs []string
	for _, t := range traces {
		dir, ok := at[t.SHA256]
		switch {
		case ok:
			dirs = append(dirs, dir)
		case len(given) == 1 && len(traces) == 1 && slices.Contains(others, filepath.Clean(given[0])):
			return given, nil // who opens it says what it is
		default:
			return nil, &elsewhere{fmt.Sprintf("%s was made from the trace %s, which is not in %s", file, t, strings.Join(slices.Compact(places), " or ")), saidByFrom(command, file)}
		}
	}
	return dirs, nil
}

// openedHash is the hash of a trace whose manifest does not list its files.
func openedHash(dir string) (string, bool) {
	t, err := trace.Open(dir)
	if err != nil {
		return "", false
	}
	defer t.Close()
	return t.Hash(), true
}

// escapeGlob returns a path as a pattern that only it matches.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
