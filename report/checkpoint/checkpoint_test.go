package checkpoint

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"replay/engine/record"
	"replay/sealed/sealedtest"
)

// written is a checkpoint in a result directory.
func written(t testing.TB) (result string, s *State) {
	t.Helper()
	result = t.TempDir()
	s = &State{Header: Header{Decisions: "d", Layout: "l", AtMS: 90_000, Arriving: -1, Rows: map[string]int64{"tasks.parquet": 7},
		Manifest: record.Manifest{TraceName: "t", Config: map[string]string{"a": "1", "b": "2"}}}, Engine: bytes.Repeat([]byte("state"), 1000), Sums: []byte("sums")}
	if err := Write(result, s); err != nil {
		t.Fatal(err)
	}
	return result, s
}

func TestWriteAndRead(t *testing.T) {
	result, s := written(t)
	dirs, headers, err := Of(result)
	if err != nil || len(dirs) != 1 || headers[0].AtMS != s.AtMS || dirs[0] != filepath.Join(result, "checkpoints", "1m30s") {
		t.Fatalf("checkpoints in %v: %v", dirs, err)
	}
	got, err := Read(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Engine, s.Engine) || !bytes.Equal(got.Sums, s.Sums) || got.Rows["tasks.parquet"] != 7 || got.Result() != result {
		t.Errorf("read %+v of %s, want what was written", got.Header, got.Result())
	}
	other := s.Manifest
	other.Seed, other.Until, other.Config = 3, 99, map[string]string{"a": "1", "b": "x", "c": "new"}
	var texts []string
	for _, d := range got.Differences(&other) {
		texts = append(texts, d.String())
	}
	want := []string{`config b is "x", in the checkpoint "2"`, `config c is "new", in the checkpoint not set`, `seed is 3, in the checkpoint 0`}
	if len(texts) != len(want) {
		t.Fatalf("differences are %q, want %q", texts, want)
	}
	for i := range want {
		if texts[i] != want[i] {
			t.Errorf("difference %d is %q, want %q", i, texts[i], want[i])
		}
	}
	if d := got.Differences(&got.Manifest); len(d) > 0 {
		t.Errorf("a manifest differs from itself: %v", d)
	}
}

// TestChangedFiles: every byte of a checkpoint is missed.
func TestChangedFiles(t *testing.T) {
	result, s := written(t)
	dir := filepath.Join(result, Folder, Name(s.AtMS))
	for _, name := range []string{document, engine, sums} {
		path := filepath.Join(dir, name)
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range was {
			b := bytes.Clone(was)
			b[i] ^= 1
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := Read(dir); err == nil && !(bytes.Equal(got.Engine, s.Engine) && bytes.Equal(got.Sums, s.Sums) && got.AtMS == s.AtMS && got.Decisions == s.Decisions && got.Layout == s.Layout) {
				t.Fatalf("%s with another byte %d is read as something else", name, i)
			}
		}
		for _, n := range []int{0, 1, len(was) / 2, len(was) - 1} {
			if err := os.WriteFile(path, was[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil && n < len(was)-1 { // the last byte of a document ends its line
				t.Fatalf("%s cut after %d of %d bytes is read", name, n, len(was))
			}
		}
		if err := os.WriteFile(path, was, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzRead: files are read or refused, whatever is in them. With a document that nothing is wrong with, as it is or sealed again, they are read as
// what they unpack to, or refused.
func FuzzRead(f *testing.F) {
	result, s := written(f)
	dir := filepath.Join(result, Folder, Name(s.AtMS))
	var texts [3][]byte
	for i, name := range []string{document, engine, sums} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			f.Fatal(err)
		}
		texts[i] = b
	}
	f.Add(texts[0], texts[1], texts[2])
	f.Add([]byte("{}"), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		state, stateErr := unpacked(b)
		added, addedErr := unpacked(c)
		if _, err := header(a); err != nil {
			if _, err = header(sealedtest.Text(a)); err != nil {
				return
			}
		}
		for name, text := range map[string][]byte{document: a, engine: b, sums: c} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // with the hashes that it has, and with those of the files
			got, err := Read(dir)
			if err == nil && !(stateErr == nil && addedErr == nil && bytes.Equal(got.Engine, state) && bytes.Equal(got.Sums, added)) {
				t.Errorf("the files hold %q (%v) and %q (%v), read as %q and %q", state, stateErr, added, addedErr, got.Engine, got.Sums)
			}
			sealedtest.Seal(t, filepath.Join(dir, document))
		}
	})
}
