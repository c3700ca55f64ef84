package command

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/engine/record"
	"replay/engine/scenario"
	"replay/sweep"
)

// variant is one side of a comparison: a name and the options its flags give over the common ones.
type variant struct {
	name    string
	given   string // what messages call it: the flag that gave it
	flags   string
	words   []string // flags, apart
	options scenario.Options
}

// parseVariants reads --variant 'name: flags'. Flags are those of run; they are laid over base.
func (p *program) parseVariants(texts []string, base scenario.Options) ([]variant, error) {
	var out []variant
	seen := map[string]bool{}
	for _, text := range texts {
		v, err := p.splitVariant(text)
		if err != nil {
			return nil, err
		}
		if seen[strings.ToLower(v.name)] {
			return nil, cmdline.Usagef("%s is given twice", v.given)
		}
		seen[strings.ToLower(v.name)] = true
		if v.options, err = p.variantOptions(v.words, base); err != nil {
			return nil, fmt.Errorf("%s: %w", v.given, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// splitVariant takes the text of a variant apart and checks its words.
func (p *program) splitVariant(text string) (v variant, err error) {
	var ok bool
	v.name, v.flags, ok = strings.Cut(text, ":")
	v.name, v.flags = strings.TrimSpace(v.name), strings.TrimSpace(v.flags)
	if !ok || !sweep.Name.MatchString(v.name) {
		return v, cmdline.Usagef("--variant is %q, want 'name: flags' with a name of %s", text, sweep.Names)
	}
	v.given = "--variant " + v.name
	if p.gate != nil {
		v.given = "--" + v.name
	}
	if v.words, err = splitWords(v.flags); err == nil {
		err = p.checkVariantWords(v.words)
	}
	if err != nil {
		return v, cmdline.Usagef("%s: %w", v.given, err)
	}
	return v, nil
}

// checkVariantWords says what is wrong with the flags of a variant.
func (p *program) checkVariantWords(text []string) error {
	flags := p.settings.Flags()
	w := cmdline.Split(nil, flags, text)
	for _, f := range w.Flags {
		if f.Flag == nil && cmdline.FindFlag(compareCommand(p).Flags, f.Name) != nil {
			return cmdline.Usagef("--%s has no place in a variant: it stands outside, for the whole comparison", f.Name)
		}
	}
	if err := w.Wrong(flags, "replay run"); err != nil {
		return err
	}
	if w.Help || len(w.Arguments) > 0 {
		return cmdline.Usagef("%q is not a flag; a value with blanks stands in quotes", append(w.Arguments, "--help")[0])
	}
	return nil
}

// variantOptions reads the flags of a variant over base.
func (p *program) variantOptions(text []string, base scenario.Options) (o scenario.Options, err error) {
	app := &cli.App{Name: "variant", Flags: p.settings.Flags(), HideHelp: true, DisableSliceFlagSeparator: true, ExitErrHandler: func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			o, err = p.settings.Options(c, base)
			return err
		}}
	words := cmdline.Split(nil, app.Flags, text)
	return o, app.Run(append([]string{"variant"}, words.Ordered()...))
}

// splitWords splits text at white space as a shell does: quotes keep words together, a backslash keeps
// the next character. Nothing is expanded.
func splitWords(text string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord, escaped := false, false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("%q ends inside a quote or after a backslash", text)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// shared are the flags of compare that say nothing of a single replay, besides those of [telling].
var shared = []string{"variant", "seeds", "max-seeds", "precision", "margin", "windows", "seed", "results", "formats"}

// madeAlone says how the replay of a variant with a seed is made by itself: with the flags of all, and over them its own.
func (p *program) madeAlone(s *traceSource, v variant, seed uint64) *record.Made {
	all := p.made()
	w := cmdline.Split([]*cli.Command{compareCommand(p)}, nil, all.Command)
	made := &record.Made{Command: []string{"run", s.title}, Files: all.Files, Folders: all.Folders, Trace: []record.Text{}}
	for i := range w.Flags {
		if f := &w.Flags[i]; !slices.Contains(shared, f.Name) {
			made.Command = append(made.Command, f.Words()...)
		}
	}
	for i := 0; i < len(v.words); i++ { // without its own seed, over which seed counts
		switch name, _, inline := strings.Cut(strings.TrimLeft(v.words[i], "-"), "="); {
		case strings.HasPrefix(v.words[i], "-") && name == "seed" && inline:
		case strings.HasPrefix(v.words[i], "-") && name == "seed":
			i++
		default:
			made.Command = append(made.Command, v.words[i])
		}
	}
	made.Command = append(made.Command, windowFlag(s.window)...)
	made.Command = append(made.Command, "--seed", strconv.FormatUint(seed, 10), "--tasks", "off", "--formats", "none")
	several := len(w.Arguments) > 1
	for _, f := range all.Trace {
		if name, ok := strings.CutPrefix(f.Name, s.prefix(several)); ok {
			f.Name = name
			made.Trace = append(made.Trace, f)
		}
	}
	return made
}
