package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/engine/scenario"
	"replay/trace"
)

// variant is one side of a comparison: a name and the options its flags give over the common ones.
type variant struct {
	name    string
	flags   string
	options scenario.Options
}

var variantName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$`)

// parseVariants reads --variant 'name: flags'. Flags are those of run; they are laid over base.
func parseVariants(texts []string, base scenario.Options) ([]variant, error) {
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
		v := variant{name: name, flags: flags}
		app := &cli.App{Name: "replay run", Flags: scenarioFlags(base.Policies), HideHelp: true, DisableSliceFlagSeparator: true,
			ExitErrHandler: func(*cli.Context, error) {}, OnUsageError: usageError,
			Action: func(c *cli.Context) error {
				if c.Args().Present() {
					return usagef("%q is not a flag", c.Args().First())
				}
				if c.IsSet("seed") {
					return usagef("a variant has no --seed of its own: all variants run on the same seeds")
				}
				var err error
				v.options, err = readOptions(c, base)
				return err
			}}
		if err := app.Run(append([]string{"variant"}, words...)); err != nil {
			return nil, fmt.Errorf("--variant %s: %w", name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// checkVariants resolves each variant against the trace, so that a mistake in one is found before any replay.
func checkVariants(dir string, variants []variant) error {
	t, err := trace.Open(dir)
	if err != nil {
		return err
	}
	defer t.Close()
	for _, v := range variants {
		if _, err := scenario.FromTrace(t, v.options); err != nil {
			return fmt.Errorf("--variant %s: %w", v.name, err)
		}
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
