package selfcmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
)

// Completion in bash and zsh asks the program itself: the library answers when --generate-bash-completion is the last word.
const (
	bashCompletion = `# bash completion for replay: source <(replay completion bash)
_replay_complete() {
	local cur=${COMP_WORDS[COMP_CWORD]} before=("${COMP_WORDS[@]:0:COMP_CWORD}")
	if [[ $cur == = ]]; then cur=; elif [[ ${before[COMP_CWORD-1]} == = ]]; then unset "before[COMP_CWORD-1]"; fi # bash splits --flag=value
	[[ $cur == -* ]] && before+=("$cur")
	mapfile -t COMPREPLY < <(compgen -W "$("${before[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur")
}
complete -o bashdefault -o default -F _replay_complete replay
`
	zshCompletion = `#compdef replay
# zsh completion for replay: source <(replay completion zsh)
_replay_complete() {
	local -a before opts
	before=(${words[1,CURRENT-1]})
	[[ ${words[CURRENT]} == -* ]] && before+=(${words[CURRENT]})
	opts=(${(f)"$(${before} --generate-bash-completion 2>/dev/null)"})
	if (( ${#opts} )); then compadd -a opts; fi
	_files
}
compdef _replay_complete replay
`
)

// shells are the shells for which there is completion.
var shells = map[string]func(*cli.App) (string, error){
	"bash": func(*cli.App) (string, error) { return bashCompletion, nil },
	"zsh":  func(*cli.App) (string, error) { return zshCompletion, nil },
	"fish": fishCompletion,
}

// fishCompletion is the library's script, which knows no values of flags, with these.
func fishCompletion(app *cli.App) (string, error) {
	script, err := app.ToFishCompletion()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(script, "\n") + "\n")
	for all := slices.Clone(app.Commands); len(all) > 0; all = all[1:] {
		c := all[0]
		all = append(all, c.Subcommands...)
		for _, f := range c.Flags {
			if values := cmdline.ValuesOf(f); values != nil {
				fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from %s' -f -l %s -r -a '%s'\n", app.Name, strings.Join(c.Names(), " "), f.Names()[0], strings.Join(values, " "))
			}
		}
	}
	return b.String(), nil
}

// jsonText is the flag of commands whose result is a text for other programs.
func jsonText() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print it as a string in JSON"}
}

// writeText prints a text, or with --json the value around it.
func writeText(c *cli.Context, value any, text string) error {
	if c.Bool("json") {
		return cmdline.WriteJSON(c.App.Writer, value)
	}
	_, err := io.WriteString(c.App.Writer, text)
	return err
}

// Completion prints scripts for shells.
func Completion() *cli.Command {
	names := slices.Sorted(maps.Keys(shells))
	return cmdline.Completed(&cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands and flags in a shell: " + strings.Join(names, ", "),
		ArgsUsage: "SHELL",
		Description: `Examples:
   source <(replay completion bash)
   replay completion fish > ~/.config/fish/completions/replay.fish`,
		Flags: []cli.Flag{jsonText()},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return cmdline.Usagef("completion wants one shell of %s, got %d arguments", strings.Join(names, ", "), c.NArg())
			}
			shell := c.Args().First()
			if err := cmdline.OneOf(names...)(shell); err != nil {
				return cmdline.Usagef("completion is for %q, %w", shell, err)
			}
			script, err := shells[shell](c.App)
			if err != nil {
				return err
			}
			return writeText(c, struct {
				Shell  string `json:"shell"`
				Script string `json:"script"`
			}{shell, script}, script)
		},
	}, names...)
}
