package command

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/engine/record"
	"replay/input"
	"replay/trace"
)

// telling are the flags that only say where results go, how much is said of them and how many work at once: they are no part
// of how a result was made, and stand beside --from.
var telling = []string{"out", "quiet", "q", "progress", "jobs", "j", "json", "all", "allow-failures", "from"}

// fromFlag is the flag that makes a result again.
func fromFlag(file string) cli.Flag {
	return &cli.StringFlag{Name: "from", Usage: "make the result again that `FILE`, a " + file + ", describes: with its flags and files, from its trace or from TRACE"}
}

// origin is where a command's words and files come from when it makes a result again.
type origin struct {
	file   string
	made   *record.Made
	traces []string // hashes
}

// described is what run.json and comparison.json have in common.
type described struct {
	Made   *record.Made `json:"made"`
	Trace  string       `json:"trace_sha256"`
	Traces []struct {
		SHA256 string `json:"sha256"`
	} `json:"traces"` // of a comparison
	Version  string `json:"program_version"`
	Commit   string `json:"program_commit"`
	Modified bool   `json:"program_modified"`
}

// again runs the command c once more with the words and files of the result that --from names.
func (p *program) again(c *cli.Context) error {
	file, name := c.String("from"), c.Command.Name
	text, err := input.ReadFile(file)
	if err != nil {
		return err
	}
	var d described
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if d.Made == nil || len(d.Made.Command) < 2 {
		return fmt.Errorf("%s: does not say how it was made; want the run.json or comparison.json of replay run or replay compare", file)
	}
	if made := d.Made.Command[0]; made != name {
		return usagef("--from is %s, which replay %s made: use replay %s --from", file, made, made)
	}
	hashes := []string{d.Trace}
	if len(d.Traces) > 0 {
		hashes = nil
		for _, t := range d.Traces {
			hashes = append(hashes, t.SHA256)
		}
	}
	if n := len(hashes); c.NArg() != 0 && c.NArg() != n {
		wanted := "one TRACE"
		if n > 1 {
			wanted = fmt.Sprintf("%d traces", n)
		}
		return usagef("%s --from wants %s or none, got %d arguments", name, wanted, c.NArg())
	}
	if len(d.Made.Command) < 1+len(hashes) {
		return fmt.Errorf("%s: its command %q does not name its traces", file, strings.Join(d.Made.Command, " "))
	}
	files, err := filesOf(d.Made)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	args := slices.Clone(d.Made.Command)
	copy(args[1:], c.Args().Slice())
	for _, dir := range args[1 : 1+len(hashes)] {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("%s was made from the trace %s, and there is none: say where it is, as replay %s --from %s TRACE: %w", file, dir, name, file, err)
		}
	}
	for i := range p.words.flags {
		f := &p.words.flags[i]
		if !slices.Contains(telling, f.name) {
			return usagef("--%s has no place beside --from, which takes all flags from %s but --%s", f.name, file, strings.Join(telling[:len(telling)-1], ", --"))
		}
		if f.name != "from" {
			args = append(args, f.words()...)
		}
	}
	if b := build(); d.Version != b.version || d.Commit != b.commit || d.Modified != b.modified || d.Modified {
		if !c.Bool("quiet") {
			fmt.Fprintf(c.App.ErrWriter, "warning: %s was made by %s and this is %s: the bytes may differ\n", file, buildInfo{d.Version, d.Commit, d.Modified}, b)
		}
	}
	next := &program{policies: p.policies, commands: p.commands, files: files, origin: &origin{file, d.Made, hashes}}
	return next.run(c.Context, append([]string{"replay"}, args...), c.App.Writer, c.App.ErrWriter)
}

// made says how the command's result is made. After --from it is what the file says.
func (p *program) made() *record.Made {
	if p.origin != nil {
		return p.origin.made
	}
	return p.files.made(p.telling())
}

// telling returns the words of the command without the flags of [telling]. The trace is the first argument.
func (p *program) telling() []string {
	out := slices.Clone(p.words.commands)
	out = append(out, p.words.arguments...)
	for i := range p.words.flags {
		if f := &p.words.flags[i]; !slices.Contains(telling, f.name) {
			out = append(out, f.words()...)
		}
	}
	return out
}

// signed adds to the manifest which program made it, and how.
func signed(m *record.Manifest, made *record.Made) {
	b := build()
	m.ProgramVersion, m.Commit, m.Modified, m.Made = b.version, b.commit, b.modified, made
}

// checkTrace says that a trace is not the one that the result was made from.
func (p *program) checkTrace(t *trace.Trace) error {
	if o := p.origin; o != nil && !slices.Contains(o.traces, t.Hash()) {
		return fmt.Errorf("%s was made from the trace %s, and %s is %s: say where that trace is, as replay %s --from %s TRACE", o.file, strings.Join(o.traces, " and "), t.Dir(), t.Hash(), o.made.Command[0], o.file)
	}
	return nil
}
