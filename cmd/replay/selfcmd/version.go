// Package selfcmd has the commands by which the program says what it is, what it takes and whether it decides as the real classes do: version, completion, the man page and conform.
package selfcmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
)

// Version is the program's version; results record it.
const Version = "0.1.0"

// Build is what results record of the program.
type Build struct {
	Version, Commit string
	Modified        bool // the sources were not those of the commit
}

func (b Build) String() string {
	text := "replay " + b.Version
	switch {
	case b.Commit == "":
		text += " (built without version control)"
	case b.Modified:
		text += " (commit " + b.Commit + ", with changes)"
	default:
		text += " (commit " + b.Commit + ")"
	}
	return text
}

// Built reads what Go's build put into the program.
func Built() Build {
	b := Build{Version: Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// VersionCommand says which program this is.
func VersionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version of the program, the commit it was built from, and Go's",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return cmdline.Usagef("version wants no argument, got %q", c.Args().First())
			}
			b := Built()
			if c.Bool("json") {
				return cmdline.WriteJSON(c.App.Writer, struct {
					Version  string `json:"version"`
					Commit   string `json:"commit"`
					Modified bool   `json:"modified"`
					Go       string `json:"go"`
				}{b.Version, b.Commit, b.Modified, runtime.Version()})
			}
			_, err := fmt.Fprintf(c.App.Writer, "%s, %s %s/%s\n", b, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
