package importer

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"replay/trace/importer/importtest"
	"replay/trace/importer/workload"
)

var wholeNumber = regexp.MustCompile(`[0-9]+`)

// everyFourth puts text in the place of every fourth number, begun with the first or a later one.
func everyFourth(data []byte, first int, text string) []byte {
	n := -1
	return wholeNumber.ReplaceAllFunc(data, func(number []byte) []byte {
		if n++; n%4 != first {
			return number
		}
		return []byte(text)
	})
}

// damages are what may be wrong with a file.
var damages = map[string]func(data []byte) []byte{
	"cut within the first third": func(d []byte) []byte { return d[:len(d)/3] },
	"cut before the end":         func(d []byte) []byte { return d[:max(0, len(d)-7)] },
	"nothing":                    func([]byte) []byte { return nil },
	"twice":                      func(d []byte) []byte { return append(bytes.Clone(d), d...) },
	"lines in reverse": func(d []byte) []byte {
		lines := strings.SplitAfter(string(d), "\n")
		slices.Reverse(lines)
		return []byte(strings.Join(lines, ""))
	},
	"another format in the middle": func(d []byte) []byte {
		half := len(d) / 2
		return slices.Concat(d[:half], []byte("\n{\"Event\":\"SparkListenerLogStart\"}\n1 2 3\na,b,c\n<xml/>\n"), d[half:])
	},
	"no UTF-8":    func(d []byte) []byte { return slices.Concat(d[:len(d)/2], []byte("\xff\xfe\x00\xc3("), d[len(d)/2:]) },
	"zero bytes":  func(d []byte) []byte { return make([]byte, len(d)) },
	"brackets":    func([]byte) []byte { return bytes.Repeat([]byte(`[{"a":`), 2000) },
	"a long line": func(d []byte) []byte { return append(bytes.Repeat([]byte("1,"), 100_000), d...) },
	"own names":   func(d []byte) []byte { return wholeNumber.ReplaceAll(d, []byte("1")) }, // everything has one id, and is its own parent
}

func init() {
	for what, text := range map[string]string{
		"below zero": "-5", "too large for 64 bits": "99999999999999999999999", "the largest of 64 bits": "9223372036854775807", "no number": "NaN", "an exponent": "1e300", "zero": "0",
	} {
		damages[what] = func(d []byte) []byte { return everyFourth(d, len(d)%4, text) }
	}
}

// fixtureFiles are the files of a fixture.
func fixtureFiles(t testing.TB, path string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// copyFixture copies a fixture, a file or a folder, into a folder of its own.
func copyFixture(t testing.TB, path string) string {
	t.Helper()
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return importtest.Copy(t, path)
	}
	return importtest.WriteNew(t, filepath.Base(path), string(importtest.Read(t, path)))
}

func hostileOptions(t testing.TB, f workload.Format) workload.Options {
	opt := workload.DefaultOptions()
	opt.Out = filepath.Join(t.TempDir(), "out")
	opt.MaxUnpacked = 4 << 20
	if f.NoHosts {
		opt.Nodes = 3
	}
	return opt
}

// Whatever is wrong with a file of a fixture, each format refuses it with words, or makes a trace that follows all rules.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds of a processor")
	}
	for _, name := range slices.Sorted(maps.Keys(Importers)) {
		if name == "spark-on-yarn" || name == "mapreduce-on-yarn" {
			continue // folders that this project's scripts write, of many files; they are fuzzed on their own
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := Importers[name]
			for _, input := range fixtures(t, name) {
				in := copyFixture(t, input)
				opt := hostileOptions(t, f)
				for _, file := range fixtureFiles(t, in) {
					good := importtest.Read(t, file)
					if len(good) > 1<<20 {
						continue
					}
					for _, what := range slices.Sorted(maps.Keys(damages)) {
						bad := damages[what](good)
						opt.Lenient = len(what)%2 == 0
						importtest.Changed(t, file, bad, func() { importtest.Try(t, f, []string{in}, opt, bad) })
						if t.Failed() {
							t.Fatalf("%s: %s", file, what)
						}
					}
				}
			}
		})
	}
}

// A small file that unpacks to much is refused, with the flag that raises the limit.
func TestPackedBombs(t *testing.T) {
	bomb := importtest.Gzip(t, bytes.Repeat([]byte("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n"), 110_000))
	for _, name := range []string{"alibaba-2018", "azure-vm", "google-2011", "swf", "swim"} {
		f := Importers[name]
		in := copyFixture(t, fixtures(t, name)[0])
		file := fixtureFiles(t, in)[0]
		importtest.Changed(t, file, bomb, func() {
			if _, err := f.Survey(t.Context(), "test", []string{in}, hostileOptions(t, f)); err == nil || !strings.Contains(err.Error(), "max-unpacked") || !strings.Contains(err.Error(), filepath.Base(file)) {
				t.Errorf("%s, %s: %v, want the file and the flag that raises the limit", name, file, err)
			}
		})
	}
}

// FuzzFixtures puts bytes into a file of a fixture of any format.
func FuzzFixtures(f *testing.F) {
	names := slices.Sorted(maps.Keys(Importers))
	for i := range names {
		f.Add(uint8(i), uint8(0), uint16(20), uint8(3), []byte("-1"))
		f.Add(uint8(i), uint8(1), uint16(300), uint8(0), []byte("99999999999999999999,\xff"))
	}
	// Each fixture is copied once, and each input puts back what it changed.
	type copied struct {
		in    string
		files []string
	}
	copies, options, good := map[string][]copied{}, map[string]workload.Options{}, map[string][]byte{}
	for _, name := range names {
		options[name] = hostileOptions(f, Importers[name])
		for _, fixture := range fixtures(f, name) {
			in := copyFixture(f, fixture)
			c := copied{in, fixtureFiles(f, in)}
			for _, file := range c.files {
				good[file] = importtest.Read(f, file)
			}
			copies[name] = append(copies[name], c)
		}
	}
	f.Fuzz(func(t *testing.T, format, which uint8, at uint16, drop uint8, text []byte) {
		name := names[int(format)%len(names)]
		c := copies[name][int(which)%len(copies[name])]
		file := c.files[int(which)%len(c.files)]
		was := good[file]
		begin := min(int(at), len(was))
		bad := slices.Concat(was[:begin], text, was[min(begin+int(drop), len(was)):])
		importtest.Write(t, file, string(bad))
		importtest.Try(t, Importers[name], []string{c.in}, options[name], bad)
		importtest.Write(t, file, string(was))
	})
}
