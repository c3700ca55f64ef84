package command

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
	"replay/policy"
)

func TestFlagsMayFollowArguments(t *testing.T) {
	app := &cli.App{Commands: []*cli.Command{{
		Name:  "import",
		Flags: []cli.Flag{&cli.StringFlag{Name: "out", Aliases: []string{"o"}}, &cli.BoolFlag{Name: "strict"}},
		Subcommands: []*cli.Command{{
			Name:  "sls",
			Flags: []cli.Flag{&cli.IntFlag{Name: "n"}, &cli.BoolFlag{Name: "strict"}, cmdline.Percent(&cli.Float64Flag{Name: "p"}, cmdline.Positive)},
		}},
	}}}
	tests := []struct{ name, in, want string }{
		{"flags before", "replay import --out d x", "replay import --out d x"},
		{"flags after", "replay import x --out d --strict y", "replay import --out d --strict x y"},
		{"alias and inline value", "replay import x -o d --out=e", "replay import -o d --out=e x"},
		{"subcommand's own table", "replay import sls a --strict b --n 3", "replay import sls --strict --n 3 a b"},
		{"numbers in base 10", "replay import sls --n 010 --n=007 --n 0", "replay import sls --n 10 --n=7 --n 0"},
		{"percent", "replay import sls --p 3% --p=2.5% --p 1", "replay import sls --p 3 --p=2.5 --p 1"},
		{"double dash ends flags", "replay import a -- --out", "replay import a -- --out"},
		{"single dash is an argument", "replay import - --strict", "replay import --strict -"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := cmdline.Split(app.Commands, app.Flags, strings.Fields(tt.in)[1:])
			got := append([]string{"replay"}, w.Ordered()...)
			if !slices.Equal(got, strings.Fields(tt.want)) {
				t.Errorf("%q is %q in order, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// run is the program with the policies of the project.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return Run(ctx, args, stdout, stderr, policy.Tables{})
}

func TestExitCodes(t *testing.T) {
	tests := []struct {
		args string
		want int
	}{
		{"replay", cmdline.ExitDone},
		{"replay --version", cmdline.ExitDone},
		{"replay nonsense", cmdline.ExitUsage},
		{"replay --nonsense", cmdline.ExitUsage},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(t.Context(), strings.Fields(tt.args), &stdout, &stderr); got != tt.want {
				t.Errorf("exit code %d, want %d; stderr: %s", got, tt.want, stderr.String())
			}
		})
	}
}
