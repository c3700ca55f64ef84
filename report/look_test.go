package report

import (
	"flag"
	"testing"
)

var look = flag.String("look", "", "write a made-up result to this directory, to look at its pictures")

func TestLook(t *testing.T) {
	if *look == "" {
		t.Skip("no -look")
	}
	usual.write(t, *look, DefaultOptions())
}
