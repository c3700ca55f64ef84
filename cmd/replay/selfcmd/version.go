package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"replay/cmd/replay/cmdline"
)

// version is the program's version; results record it.
const version = "0.1.0"

// buildInfo is what results record of the program.
type buildInfo struct {
	version, commit string
	modified        bool // the sources were not those of the commit
}

func (b buildInfo) String() string {
	text := "replay " + b.version
	switch {
	case b.commit == "":
		text += " (built without version control)"
	case b.modified:
		text += " (commit " + b.commit + ", with changes)"
	default:
		text += " (commit " + b.commit + ")"
	}
	return text
}

// build reads what Go's build put into the program.
func build() buildInfo {
	b := buildInfo{version: version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.commit = s.Value
		case "vcs.modified":
			b.modified = s.Value == "true"
		}
	}
	return b
}

// versionCommand says which program this is.
func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version of the program, the commit it was built from, and Go's",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return cmdline.Usagef("version wants no argument, got %q", c.Args().First())
			}
			b := build()
			if c.Bool("json") {
				return cmdline.WriteJSON(c.App.Writer, struct {
					Version  string `json:"version"`
					Commit   string `json:"commit"`
					Modified bool   `json:"modified"`
					Go       string `json:"go"`
				}{b.version, b.commit, b.modified, runtime.Version()})
			}
			_, err := fmt.Fprintf(c.App.Writer, "%s, %s %s/%s\n", b, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
