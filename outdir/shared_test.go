package outdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// What a killed writer of this machine left goes at once, what another machine may be writing after an hour, and what is being written here stays.
func TestTidyShared(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-2 * abandoned)
	at := func(name string) string { return filepath.Join(dir, name) }
	killed, elsewhere, old, writing, file := at(".a.json."+host()+".12.partial"), at(".a.json.x"+host()+".12.partial"), at(".a.json.elsewhere.7.partial"), at(".b.json."+host()+".3.partial"), at("b.json")
	for _, path := range []string{killed, elsewhere, old, writing, file} {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(writing)
	if err := errors.Join(err, os.Chtimes(old, long, long), os.Chtimes(file, long, long), lock(f), TidyShared(dir)); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for path, stays := range map[string]bool{killed: !canLock, elsewhere: true, old: false, writing: true, file: true} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, stays)
		}
	}
	if err := TidyShared(at("none")); err != nil {
		t.Error(err)
	}
	if err := WriteShared(at("none/x"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, want that there is no folder", err)
	}
}

// Writers of one file and those that tidy up do not meet half way: the file is there, whole, and nothing else.
func TestSharedWriters(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.json")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				if err := errors.Join(WriteShared(path, fmt.Append(nil, "text of ", i%2)), TidyShared(dir)); err != nil {
					t.Error(err)
					return
				}
				if text, err := os.ReadFile(path); err != nil || len(text) != len("text of 0") {
					t.Errorf("%q, %v", text, err)
					return
				}
			}
		})
	}
	wg.Wait()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%v is there: %v", left, err)
	}
}
