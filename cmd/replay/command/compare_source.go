package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/input"
	"replay/trace"
	"replay/trace/view"
)

// traceSource is a trace that variants are replayed on. It is opened, and so checked, once for all its replays, and closed after the last.
type traceSource struct {
	dir    string
	title  string // what results call it
	name   string // that of a folder, unique among the sources
	hash   string
	window *view.Window // the part of it that is replayed, nil for all of it
	keep   int64        // its jobs are decoded once and kept where they have no more tasks than this
	mu     sync.Mutex
	wanted int // replays that will open it yet
	using  int
	trace  *trace.Trace
}

// open returns the open trace.
func (s *traceSource) open(p *program) (*trace.Trace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted--
	if s.trace != nil {
		s.using++
		return s.trace, nil
	}
	t, err := cmdline.OpenTrace(s.dir)
	if err != nil {
		return nil, err
	}
	if err := p.checkTrace(t); err != nil {
		t.Close()
		return nil, err
	}
	if err := t.KeepJobs(s.keep); err != nil {
		t.Close()
		return nil, err
	}
	s.trace = t
	s.using++
	return t, nil
}

// close gives back what open returned.
func (s *traceSource) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.using--; s.using == 0 && s.wanted <= 0 {
		s.shut()
	}
}

// release closes the trace, which nobody uses, where replays that were to come did not.
func (s *traceSource) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shut()
}

func (s *traceSource) shut() {
	if s.trace != nil {
		s.trace.Close()
		s.trace = nil
	}
}

// sourcesOf returns the traces that arguments and --traces name.
func (p *program) sourcesOf(c *cli.Context) ([]*traceSource, error) {
	dirs := c.Args().Slice()
	if c.IsSet("traces") {
		more, err := tracesOf(c.String("traces"))
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, more...)
		p.words.Flags = slices.DeleteFunc(p.words.Flags, func(f cmdline.FlagWord) bool { return f.Name == "traces" })
	}
	if len(dirs) == 0 {
		name := "compare"
		if p.gate != nil {
			name = "gate"
		}
		return nil, cmdline.Usagef("%s wants a TRACE directory, or several, or --traces", name)
	}
	var out []*traceSource
	for _, dir := range dirs {
		out = append(out, &traceSource{dir: dir})
	}
	return out, nil
}

// tracesOf returns the traces that a folder of them, a pattern, or a file with one a line stands for, in order of name or of lines.
func tracesOf(text string) (dirs []string, err error) {
	info, err := os.Stat(text)
	switch {
	case err == nil && info.Mode().IsRegular():
		list, err := input.ReadText(text)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(input.Unmarked(list))) {
			line = strings.TrimSpace(line)
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(filepath.Dir(text), line)
			}
			dirs = append(dirs, line)
		}
		if len(dirs) == 0 {
			return nil, fmt.Errorf("--traces %s: no trace in it, want one a line", text)
		}
		return dirs, nil
	case err == nil:
		text = filepath.Join(text, "*")
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	found, err := filepath.Glob(text)
	if err != nil {
		return nil, cmdline.Usagef("--traces is %q, want a folder of traces, a pattern such as 'weeks/*', or a file with one a line", text)
	}
	for _, dir := range found {
		if cmdline.IsTrace(dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("--traces %s: no trace there, want folders with a trace.json", text)
	}
	return dirs, nil
}

// checkVariants resolves each variant against each trace, so that a mistake in one is found before any replay.
func (p *program) checkVariants(sources []*traceSource, variants []variant) error {
	names := map[string]int{}
	for i, s := range sources {
		if err := p.checkSource(s, names, several(sources), variants); err != nil {
			return err
		}
		for _, o := range sources[:i] {
			if o.hash == s.hash && s.window == nil {
				return cmdline.Usagef("%s and %s are the same trace: it would count twice", o.dir, s.dir)
			}
		}
	}
	return nil
}

func (p *program) checkSource(s *traceSource, names map[string]int, several bool, variants []variant) error {
	t, err := cmdline.OpenTrace(s.dir)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := p.checkTrace(t); err != nil {
		return err
	}
	s.hash, s.title = t.Hash(), t.Name()
	if s.window == nil {
		s.name = folderName(s.title)
		if names[s.name]++; names[s.name] > 1 {
			s.name = fmt.Sprintf("%s-%d", s.name, names[s.name])
		}
	}
	if s.window == nil || len(p.traces) == 0 {
		p.traces = append(p.traces, s.title)
	}
	for _, v := range variants {
		v.options.Window = s.window
		sc, err := p.settings.Scenario(t, v.options)
		if err != nil {
			if several {
				err = fmt.Errorf("%s: %w", s.dir, err)
			}
			return fmt.Errorf("%s: %w", v.given, err)
		}
		p.settings.Files.Attach(s.prefix(several), sc.Input.Files)
	}
	return nil
}

// folderName makes the name of a folder of the name of a trace.
func folderName(name string) string {
	plain := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("._=-", c) {
			return c
		}
		return '-'
	}, name)
	return cmp.Or(strings.TrimLeft(plain, "."), "trace")
}

// several reports whether there are traces whose files must be told apart.
func several(sources []*traceSource) bool { return len(sources) > 1 && sources[0].window == nil }

// prefix stands before the names of files that came with one of several traces.
func (s *traceSource) prefix(several bool) string {
	if several {
		return s.name + "/"
	}
	return ""
}
