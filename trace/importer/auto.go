package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"replay/counted"
	"replay/trace/importer/foreign"
	"replay/trace/importer/table"
	"replay/trace/importer/workload"
)

// Auto is the name that stands for the format that the input has.
const Auto = "auto"

// looked is how many files of one directory are looked at to find their format.
const looked = 200

// fit is a format that a file has, and how that shows.
type fit struct {
	format, file, how string
	more              int // files of this format beside it, where they are counted
}

// Detect returns the one format that the inputs have, and how that shows: "FILE: it looks like FORMAT: …". Of a directory the files
// that are nearest to its top and have a format tell; how says which other ones those below them have, which are not imported. Several formats, or none, are an error that lists them. Standard input
// is read ahead, which opt.Stdin stands for after it.
func Detect(inputs []string, opt *workload.Options) (format, how string, err error) {
	if len(inputs) == 0 {
		return "", "", errors.New("no input, want files or directories")
	}
	first := map[string]fit{}
	var below []fit
	seen := "" // of the first file of no format
	for _, in := range inputs {
		fits, deeper, none, err := detect(in, opt)
		if err != nil {
			return "", "", err
		}
		seen, below = cmp.Or(seen, none), append(below, deeper...)
		for _, f := range fits {
			if _, ok := first[f.format]; !ok {
				first[f.format] = f
			}
		}
	}
	if len(first) > 1 {
		maps.DeleteFunc(first, func(name string, _ fit) bool { return Importers[name].Fallback })
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(first)) {
		f := first[name]
		lines = append(lines, fmt.Sprintf("%s: it looks like %s: %s", f.file, f.format, f.how))
		format = name
	}
	switch len(lines) {
	case 0:
		if seen == "" || seen == empty {
			return "", "", fmt.Errorf("%s: %s", strings.Join(inputs, ", "), cmp.Or(seen, "no file of data"))
		}
		return "", "", fmt.Errorf("%s: %s; name it (%s)", strings.Join(inputs, ", "), seen, strings.Join(slices.Sorted(maps.Keys(Importers)), ", "))
	case 1:
		how = lines[0]
		for _, f := range below {
			how += "; " + f.passed()
		}
		return format, how, nil
	}
	return "", "", fmt.Errorf("several formats fit, name one of them\n  %s", strings.Join(lines, "\n  "))
}

// passed says that the file, and those beside it, are of another format than what is imported.
func (f fit) passed() string {
	if f.more > 0 {
		return fmt.Sprintf("%s and %s look like %s (%s) and are not imported with it: name their folder instead for that", f.file, counted.Of(f.more, "other files"), f.format, f.how)
	}
	return fmt.Sprintf("%s looks like %s (%s) and is not imported with it: name its folder instead for that", f.file, f.format, f.how)
}

// detect lists the formats that one input has, and those of files deeper in a directory than the first that have one. none says what there is if it has none of them.
func detect(in string, opt *workload.Options) (fits, deeper []fit, none string, err error) {
	if in == workload.Stdin {
		head, err := workload.PeekStdin(opt)
		return fitsOf("standard input", "", head), nil, unknown(head), err
	}
	if info, err := os.Stat(in); err != nil || !info.IsDir() {
		fits, head, err := look(in)
		return fits, nil, unknown(head), err
	}
	list, err := workload.List([]string{in}, nil)
	if err != nil {
		return nil, nil, "", err
	}
	files := list.Files
	depth := func(path string) int { return strings.Count(filepath.Clean(path), string(filepath.Separator)) }
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(depth(a), depth(b)) })
	seen := map[string]fit{}
	at, n := 0, 0
	var unreadable error // the first file that is; others may tell
	for i, path := range files {
		if d := depth(path); i == 0 || d != at {
			if len(seen) > 0 {
				deeper = others(files[i:], seen)
				break
			}
			at, n = d, 0
		}
		if n++; n > looked {
			continue
		}
		fits, head, err := look(path)
		if err != nil {
			unreadable = cmp.Or(unreadable, err)
			continue
		}
		if is := unknown(head); none == "" || none == empty {
			none = is
		}
		for _, f := range fits {
			if _, ok := seen[f.format]; !ok {
				seen[f.format] = f
			}
		}
	}
	if len(seen) > 0 {
		unreadable = nil
	}
	return slices.Collect(maps.Values(seen)), deeper, none, unreadable
}

// others are the formats of files that are none of those seen, with the first file of each and how many more there are. What is below the folder of a format that is a whole folder may be part of it.
func others(files []string, seen map[string]fit) (list []fit) {
	at := map[string]int{} // in list
	partOf := func(path string) bool {
		for _, f := range seen {
			if rel, err := filepath.Rel(filepath.Dir(f.file), path); err == nil && filepath.IsLocal(rel) && Importers[f.format].Folder {
				return true
			}
		}
		return false
	}
	for _, path := range files[:min(len(files), looked)] {
		if partOf(path) {
			continue
		}
		fits, _, err := look(path)
		if err != nil {
			continue
		}
		for _, f := range fits {
			i, told := at[f.format]
			switch _, same := seen[f.format]; {
			case same || Importers[f.format].Fallback:
			case told:
				list[i].more++
			default:
				at[f.format] = len(list)
				list = append(list, f)
			}
		}
	}
	return list
}

// look returns the formats that a file has, and its head. That it is an archive is an error where no format takes it.
func look(path string) (fits []fit, head []byte, err error) {
	head, err = workload.Head(path)
	if fits = fitsOf(path, path, head); len(fits) > 0 {
		err = nil
	}
	return fits, head, err
}

const empty = "empty"

// unknown says what a file is by its head that is of no format.
func unknown(head []byte) string {
	if len(bytes.TrimSpace(head)) == 0 {
		return empty
	}
	if columns, ok := strings.CutPrefix(string(head), "PAR1\n"); ok {
		return "of no known format: a Parquet file with the columns " + strings.ReplaceAll(strings.TrimSpace(columns), "\n", ", ") + ", which import parquet --map gives their roles"
	}
	if columns := table.Header(head); columns != nil {
		return "of no known format: a table with the columns " + strings.Join(columns, ", ") + ", which import csv --map gives their roles"
	}
	if table.OnlyHeader(head) {
		return "of no known format: a table with a header and no row"
	}
	if what := foreign.What(head); what != "" && foreign.AnsweredBy(foreign.Members(head)) == "" {
		return "of no known format: " + what
	}
	if members := foreign.Members(head); members != "" {
		if who := foreign.AnsweredBy(members); who != "" {
			return "of no known format: JSON with the members " + members + ", such as " + who + " answers over REST, and which names no tasks (nodes are taken beside logs or tables of tasks); replay record asks a running cluster and fetches its event logs, and fields of it can be imported as a table, csv"
		}
		return "of no known format: JSON with the members " + members + "; what is in no format below can be imported as a table, csv or parquet"
	}
	if lines := bytes.SplitN(head, []byte("\n"), 3); len(lines) == 3 && bytes.Contains(lines[1], []byte("---- --")) && len(bytes.Trim(lines[1], "- \r")) == 0 {
		return "of no known format: a table of fixed width, as sacct prints; import csv takes what sacct -P prints"
	}
	return "of no known format"
}

// fitsOf lists the formats that a file has.
func fitsOf(shown, path string, head []byte) (fits []fit) {
	for _, name := range slices.Sorted(maps.Keys(Importers)) {
		if f := Importers[name]; f.Detect != nil {
			if how := f.Detect(workload.BaseName(filepath.Base(path)), head); how != "" {
				fits = append(fits, fit{format: name, file: shown, how: how})
			}
		}
	}
	return fits
}
