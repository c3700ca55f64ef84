// Command profile writes cmd/replay/default.pgo, the profile with which `go build ./cmd/replay` compiles the program (profile-guided optimization):
// what is called most is inlined further. From the root of the module:
//
//	go run ./scripts/profile
//
// It comes from cases of `replay bench` that take the paths of long replays, in two minutes. A program compiled with another profile decides the same
// and writes the same bytes. It is worth writing again after a large change of the engine.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/google/pprof/profile"

	"replay/outdir"
)

var cases = []string{"day-0.6", "day-0.95", "month-tenth-hours", "month-tenth-crowded-capacity", "w1-yarn", "w1-0.9"}

func main() {
	if err := write(filepath.Join("cmd", "replay", "default.pgo")); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(1)
	}
}

func write(to string) error {
	dir, err := os.MkdirTemp("", "profile")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, measured := filepath.Join(dir, "replay"), filepath.Join(dir, "cpu")
	if err := call("go", "build", "-trimpath", "-o", program, "./cmd/replay"); err != nil {
		return err
	}
	bench := []string{"bench", "--count", "2", "--cache", filepath.Join(dir, "cache"), "--cpuprofile", measured}
	for _, c := range cases {
		bench = append(bench, "--case", c)
	}
	if err := call(program, bench...); err != nil {
		return err
	}
	file, err := os.Open(measured)
	if err != nil {
		return err
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err != nil {
		return err
	}
	for _, m := range p.Mapping { // where this machine keeps things
		m.File = ""
	}
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		return err
	}
	return outdir.WriteFile(to, text.Bytes())
}

func call(name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}
