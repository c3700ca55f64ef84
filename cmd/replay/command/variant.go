package command

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/engine/record"
	"replay/engine/scenario"
)

// variant is one side of a comparison: a name and the options its flags give over the common ones.
type variant struct {
	name    string
	flags   string
	words   []string // flags, apart
	options scenario.Options
}

var variantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$`)

// parseVariants reads --variant 'name: flags'. Flags are those of run; they are laid over base.
func (p *program) parseVariants(texts []string, base scenario.Options) ([]variant, error) {
	var out []variant
	seen := map[string]bool{}
	for _, text := range texts {
		name, flags, ok := strings.Cut(text, ":")
		name, flags = strings.TrimSpace(name), strings.TrimSpace(flags)
		if !ok || !variantName.MatchString(name) {
			return nil, usagef("--variant is %q, want 'name: flags' with a name of letters, digits and . _ + -", text)
		}
		if seen[strings.ToLower(name)] {
			return nil, usagef("--variant %s is given twice", name)
		}
		seen[strings.ToLower(name)] = true
		words, err := splitWords(flags)
		if err != nil {
			return nil, usagef("--variant %s: %w", name, err)
		}
		v := variant{name: name, flags: flags, words: words}
		if v.options, err = p.variantOptions(words, base); err != nil {
			return nil, fmt.Errorf("--variant %s: %w", name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// variantOptions reads the flags of a variant over base.
func (p *program) variantOptions(text []string, base scenario.Options) (o scenario.Options, err error) {
	flags := scenarioFlags(base.Policies)
	w := split(nil, flags, text)
	for _, f := range w.flags {
		if f.name == "seed" {
			return o, usagef("a variant has no --seed of its own: all variants run on the same seeds")
		}
		if f.flag == nil && findFlag(compareCommand(p).Flags, f.name) != nil {
			return o, usagef("--%s has no place in a variant: it stands outside, for the whole comparison", f.name)
		}
	}
	if err := w.wrong(flags, "replay run"); err != nil {
		return o, err
	}
	if w.help || len(w.arguments) > 0 {
		return o, usagef("%q is not a flag", append(w.arguments, "--help")[0])
	}
	app := &cli.App{Name: "variant", Flags: flags, HideHelp: true, DisableSliceFlagSeparator: true, ExitErrHandler: func(*cli.Context, error) {},
		Action: func(c *cli.Context) error {
			o, err = p.readOptions(c, base)
			return err
		}}
	return o, app.Run(append([]string{"variant"}, text...))
}

// checkVariants resolves each variant against the trace, so that a mistake in one is found before any replay.
func (p *program) checkVariants(dir string, variants []variant) error {
	t, err := openTrace(dir)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := p.checkTrace(t); err != nil {
		return err
	}
	for _, v := range variants {
		sc, err := scenario.FromTrace(t, v.options)
		if err != nil {
			return fmt.Errorf("--variant %s: %w", v.name, err)
		}
		p.files.attach(sc.Input.Files)
	}
	return nil
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

// madeAlone says how the replay of a variant with a seed is made by itself: with the flags of all, and over them its own.
func (p *program) madeAlone(v variant, seed uint64) *record.Made {
	all := p.made()
	var args []string
	w := split([]*cli.Command{compareCommand(p)}, nil, all.Command)
	args = append(args, "run")
	args = append(args, w.arguments...)
	for i := range w.flags {
		if f := &w.flags[i]; !slices.Contains([]string{"variant", "seeds", "seed", "results", "formats"}, f.name) {
			args = append(args, f.words()...)
		}
	}
	args = append(append(args, v.words...), "--seed", strconv.FormatUint(seed, 10), "--tasks", "off", "--formats", "none")
	return &record.Made{Command: args, Files: all.Files, Folders: all.Folders, Trace: all.Trace}
}
