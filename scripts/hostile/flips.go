package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"replay/cmd/replay/command"
	"replay/policy"
	"replay/report"
	"replay/sealed"
	"replay/trace"
	"replay/trace/synth"
)

// limit is what the process that reads the damaged files may hold.
const limit = 512 << 20

// A subject is a directory of which bits are flipped.
type subject struct {
	dir   string
	files []string
	read  func() (string, error) // what is in it, in words
	same  string

	refused, equal int
}

// subjects makes a trace with hashes, the same without them, results with and without rows of tasks, and a comparison. Of the trace without
// hashes only the tables are flipped: a manifest without a hash is what somebody wrote, whatever it says.
func subjects(dir string) ([]*subject, error) {
	preset, err := synth.Find("uniform-micro")
	if err != nil {
		return nil, err
	}
	hashed, bare := filepath.Join(dir, "hashed"), filepath.Join(dir, "bare")
	for _, to := range []string{hashed, bare} {
		if _, err := synth.Generate(context.Background(), to, preset, synth.Options{Jobs: 2, Nodes: 3}); err != nil {
			return nil, err
		}
	}
	if err := withoutHashes(filepath.Join(bare, "trace.json")); err != nil {
		return nil, err
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, words := range [][]string{
		{"run", hashed, "--formats", "none", "--out", at("result")},
		{"run", hashed, "--formats", "none", "--tasks", "off", "--out", at("sums")},
		{"compare", hashed, "--seeds", "2", "--variant", "a:", "--variant", "b:--sharing=drf", "--formats", "none", "--out", at("comparison")},
	} {
		if code := command.Run(context.Background(), append([]string{"replay"}, append(words, "--quiet")...), io.Discard, os.Stderr, policy.Tables{}); code != 0 {
			return nil, fmt.Errorf("%v: exit code %d", words, code)
		}
	}
	loaded := func(dir string) func() (string, error) {
		return func() (string, error) {
			t, err := trace.Load(dir)
			if err != nil {
				return "", err
			}
			return text(t), nil
		}
	}
	opened := func(dir string) func() (string, error) {
		return func() (string, error) {
			r, err := report.Open(dir)
			if err != nil {
				return "", err
			}
			manifest, err := json.Marshal(r.Manifest)
			return string(r.JSON()) + string(manifest), err
		}
	}
	all := []*subject{
		{dir: hashed, read: loaded(hashed)}, {dir: bare, files: tables(bare), read: loaded(bare)},
		{dir: at("result"), read: opened(at("result"))}, {dir: at("sums"), read: opened(at("sums"))},
		{dir: at("comparison"), files: []string{at("comparison/comparison.json")}, read: func() (string, error) {
			text, err := os.ReadFile(at("comparison/comparison.json"))
			if err != nil {
				return "", err
			}
			var doc map[string]any
			err = sealed.Unmarshal(text, &doc)
			return fmt.Sprint(doc), err
		}},
	}
	for _, s := range all {
		if s.same, err = s.read(); err != nil {
			return nil, err
		}
		if s.files == nil {
			s.files = tables(s.dir)
			for _, name := range []string{"run.json", "tasks.json", "trace.json", "aggregates.cbor"} {
				if path := filepath.Join(s.dir, name); exists(path) {
					s.files = append(s.files, path)
				}
			}
		}
	}
	return all, nil
}

// tables are the Parquet files of a directory.
func tables(dir string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, "*.parquet")) // the pattern is good
	return found
}

// flips flips bits of files that the program reads, one at a time. Nothing else than a refusal or the same content may come of it.
func flips(dir string, n int, r *rand.Rand) error {
	debug.SetMemoryLimit(limit * 3 / 4)
	all, err := subjects(dir)
	if err != nil {
		return err
	}
	say := func(k int) {
		fmt.Printf("%d bits; %s\n", k, peak())
		for _, s := range all {
			fmt.Printf("  %-12s %6d refused, %6d the same\n", filepath.Base(s.dir), s.refused, s.equal)
		}
	}
	for k := range n {
		s := all[k%len(all)]
		path := s.files[r.IntN(len(s.files))]
		good, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bad := bytes.Clone(good)
		bit := r.IntN(8 * len(bad))
		bad[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			return err
		}
		got, err := s.read()
		switch {
		case err != nil:
			s.refused++
		case got == s.same:
			s.equal++
		default:
			return fmt.Errorf("bit %d of %s: is read, and is something else", bit, path)
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			return err
		}
		if (k+1)%10000 == 0 {
			say(k + 1)
		}
	}
	say(n)
	if held := peakBytes(); held > limit {
		return fmt.Errorf("held %d MB, want at most %d", held>>20, limit>>20)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// text is all that a trace holds.
func text(m *trace.MemoryTrace) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.OriginUnixMS, m.Generator, m.Source, m.LocalitySource, m.DurationSource, m.Nodes, m.Events, m.Queues, m.Users, m.Files, m.ExecutorList)
	for _, j := range m.JobList {
		fmt.Fprintln(&b, *j)
	}
	return b.String()
}

// withoutHashes makes a manifest one as people write it.
func withoutHashes(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	delete(m, "hash")
	delete(m, "files")
	if text, err = json.Marshal(m); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// peakBytes is the most memory that the process has had, 0 where the system does not say.
func peakBytes() (n int64) {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "VmHWM: %d kB", &n); err == nil {
			return n << 10
		}
	}
	return 0
}

func peak() string { return fmt.Sprintf("at most %d MB held", peakBytes()>>20) }
