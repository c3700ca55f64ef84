package cmdline

import (
	"flag"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/urfave/cli/v2"

	"replay/engine"
)

// What is known beforehand of replays that take long is said once, before how far they are.
func TestLongReplaysWarnFirst(t *testing.T) {
	t.Parallel()
	read, write := io.Pipe()
	app := cli.NewApp()
	app.ErrWriter = write
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.String("progress", "on", "")
	flags.Bool("quiet", false, "")
	ps := make([]engine.Progress, 3)
	text := "far more work than the cluster can do"
	for i := range ps[1:] {
		ps[1+i].Beforehand.Store(&text)
	}
	var wanted, done atomic.Int64
	wanted.Store(3)
	stop := WatchAll(cli.NewContext(app, flags, nil), "compare", ps, &wanted, &done)
	said := make([]byte, 0, 200)
	for strings.Count(string(said), "\n") < 2 {
		buf := make([]byte, 200)
		n, err := read.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, buf[:n]...)
	}
	go io.Copy(io.Discard, read)
	stop()
	if want := "warning: far more work than the cluster can do\ncompare:   0 %, 0 of 3 replays done, ? left\n"; string(said) != want {
		t.Errorf("said %q, want %q", said, want)
	}
}
