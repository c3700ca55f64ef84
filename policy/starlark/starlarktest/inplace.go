// Package starlarktest puts the built-in sharing policies that examples/policy has in Starlark in the place of those in Go, so that a test of whole replays
// or of golden vectors can ask whether they decide alike.
package starlarktest

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"replay/policy"
	"replay/policy/starlark"
)

// InPlace puts fair.star and drf.star of the folder in the place of fair and drf until the test has ended. No other test may run beside it. It returns how
// often one of them was made for a replay.
func InPlace(t testing.TB, folder string) (made *atomic.Int64) {
	t.Helper()
	made = new(atomic.Int64)
	for _, name := range []string{"fair", "drf"} {
		file := filepath.Join(folder, name+".star")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := starlark.Read(file, text)
		if err != nil {
			t.Fatal(err)
		}
		entry := &policy.Sharings[slices.IndexFunc(policy.Sharings, func(e policy.SharingEntry) bool { return e.Name == name })]
		before := entry.New
		entry.New = func(types int) policy.Sharing {
			made.Add(1)
			return f.Policies.Sharings[0].New(types)
		}
		t.Cleanup(func() { entry.New = before })
	}
	return made
}
