package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"replay/trace"
	"replay/trace/synth"
)

// limit is what the process that reads the damaged files may hold.
const limit = 512 << 20

// flips flips bits of a small trace, one at a time: half of them under the hashes of its manifest, where nothing else
// than a refusal or the same trace may come of it, half without hashes, where it may also become another good trace.
func flips(dir string, n int, r *rand.Rand) error {
	debug.SetMemoryLimit(limit * 3 / 4)
	preset, err := synth.Find("uniform-micro")
	if err != nil {
		return err
	}

	hashed, bare := filepath.Join(dir, "hashed"), filepath.Join(dir, "bare")
	for _, to := range []string{hashed, bare} {
		if _, err := synth.Generate(context.Background(), to, preset, synth.Options{Jobs: 2, Nodes: 3}); err != nil {
			return err
		}
	}
	if err := withoutHashes(filepath.Join(bare, "trace.json")); err != nil {
		return err
	}
	want, err := trace.Load(hashed)
	if err != nil {
		return err
	}
	same := text(want)
	files, err := filepath.Glob(filepath.Join(hashed, "*"))
	if err != nil {
		return err
	}
	refused, equal, other := 0, 0, 0
	for k := range n {
		at := hashed
		if k%2 == 1 {
			at = bare
		}
		path := filepath.Join(at, filepath.Base(files[r.IntN(len(files))]))
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
		got, err := trace.Load(at)
		switch {
		case err != nil:
			refused++
		case text(got) == same:
			equal++
		case at == hashed:
			return fmt.Errorf("bit %d of %s: is read, and the trace is another", bit, filepath.Base(path))
		default:
			other++
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			return err
		}
		if (k+1)%10000 == 0 {
			fmt.Printf("%d bits: %d refused, %d the same trace, %d another without hashes; %s\n", k+1, refused, equal, other, peak())
		}
	}
	fmt.Printf("%d bits: %d refused, %d the same trace, %d another without hashes; %s\n", n, refused, equal, other, peak())
	if held := peakBytes(); held > limit {
		return fmt.Errorf("held %d MB, want at most %d", held>>20, limit>>20)
	}
	return nil
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
