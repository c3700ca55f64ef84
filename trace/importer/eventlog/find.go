package eventlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replay/trace/importer/workload"
)

// Log is the log of one application: a file, or the files of a rolling log in order.
type Log struct {
	Path       string // of the file or directory, for messages
	Files      []string
	InProgress bool     // its name says that the application had not ended
	given      string   // the input in which it was found
	rolled     bool     // in several files; what the application leaves when it is killed ends anywhere
	compacted  bool     // events of finished jobs were removed
	gap        string   // why the files that are there are not all of a rolling log: one between them is missing, and those behind it are none of Files
	archive    *archive // in which its files are
}

// Name is what the name of the log says of its application: its id, and in most cases the attempt.
func (l *Log) Name() string {
	return strings.TrimPrefix(parseLogName(l.Path).base, rollingPrefix)
}

const rollingPrefix = "eventlog_v2_"

// rollingFile matches the names of files of a rolling log.
var rollingFile = regexp.MustCompile(`^events_[0-9]+_`)

// Find returns the event logs among inputs: files, rolling logs, zip archives and directories of these at any depth, directories
// first, in the order of inputs and of names. Symbolic links are followed, each directory once.
func Find(inputs []string) (*Found, error) { return FindBeside(inputs, nil) }

// Found is what there is among inputs.
type Found struct {
	Logs   []Log
	Left   []workload.Input // what is no log
	Passed []string         // names that are passed over: those that begin with a dot, as a history server does, and in a rolling log what is none of its files
}

// FindBeside is Find that passes over the directories for which take, which may be nil, returns true. It gets the path
// of each directory, that of the input in which it was found, and whether a name is in it.
func FindBeside(inputs []string, take func(given, dir string, has func(name string) bool) bool) (*Found, error) {
	if len(inputs) == 0 {
		return nil, errors.New("no input, want event logs or directories of them")
	}
	f := finder{take: take, seen: map[string]bool{}}
	var files []string // that a shell listed
	for _, in := range inputs {
		info, err := os.Stat(in)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			f.given = in
			f.directory(in)
		default:
			files = append(files, in)
		}
	}
	f.given = ""
	f.files(files)
	return &f.Found, nil
}

// finder walks directories.
type finder struct {
	take    func(given, dir string, has func(name string) bool) bool
	given   string          // the directory that is walked, "" for files that are given themselves
	seen    map[string]bool // real paths of directories
	archive *archive        // that is walked, nil for none
	Found
}

// found takes a log.
func (f *finder) found(l Log) {
	if l.given = f.given; l.given == "" {
		l.given = l.Path
	}
	l.archive = f.archive
	f.Logs = append(f.Logs, l)
}

func (f *finder) leave(path string, r workload.Reason, format string, args ...any) {
	f.leaveFor(path, workload.Leave(path, r, format, args...))
}

func (f *finder) leaveFor(path string, err error) {
	given := f.given
	if given == "" {
		given = path
	}
	in := workload.NewInput(given, path)
	if size, regular, err := f.archive.stat(path); err == nil && regular {
		in.Bytes = size
	}
	in.Leave(err)
	f.Left = append(f.Left, in)
}

// directory takes a directory: as a rolling log, as something that is left out whole, or what is in it.
func (f *finder) directory(dir string) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		if f.seen[real] {
			return
		}
		f.seen[real] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		f.leave(dir, workload.Unreadable, "%w", withoutPath(err))
		return
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	if f.take != nil && f.take(f.given, dir, has) {
		return
	}
	if strings.HasPrefix(filepath.Base(filepath.Clean(dir)), rollingPrefix) {
		f.rolling(dir, entries)
		return
	}
	if has("trace.json") && has("jobs.parquet") {
		f.leave(dir, workload.Foreign, "a trace of this program, want an event log: replay run takes it as it is")
		return
	}
	if old := "EVENT_LOG_1"; has(old) {
		f.leave(dir, workload.TooOld, "a folder with %s is of Spark before 1.3, want 1.4 or later", old)
		return
	}
	var files []string
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			f.Passed = append(f.Passed, e.Name())
			continue
		}
		switch info, err := os.Stat(path); {
		case err != nil:
			f.leave(path, workload.Unreadable, "%w", withoutPath(err))
		case info.IsDir():
			f.directory(path)
		default:
			files = append(files, path)
		}
	}
	f.files(files)
}

// databricksPart is a file of a log that Databricks rolled: the current one, or one that was closed at a time.
var databricksPart = regexp.MustCompile(`^eventlog(-[0-9]{4}-[0-9]{2}-[0-9]{2}--[0-9]{2}-[0-9]{2})?(\.[a-z0-9]+)?$`)

// files takes files: each as a log, but those of one directory that Databricks rolled as one.
func (f *finder) files(paths []string) {
	parts := map[string][]string{} // by directory
	closed := map[string]bool{}
	for _, p := range paths {
		if m := databricksPart.FindStringSubmatch(filepath.Base(p)); m != nil {
			parts[filepath.Dir(p)] = append(parts[filepath.Dir(p)], p)
			closed[filepath.Dir(p)] = closed[filepath.Dir(p)] || m[1] != ""
		}
	}
	for _, p := range paths {
		dir := filepath.Dir(p)
		if !closed[dir] || !databricksPart.MatchString(filepath.Base(p)) {
			f.file(p)
			continue
		}
		if len(parts[dir]) == 0 {
			continue // of a log that was taken
		}
		slices.SortFunc(parts[dir], func(a, b string) int { // the current file, without a time, is the last
			at := func(p string) string { return databricksPart.FindStringSubmatch(filepath.Base(p))[1] }
			return cmp.Or(workload.CompareBools(at(a) == "", at(b) == ""), cmp.Compare(at(a), at(b)), cmp.Compare(a, b))
		})
		f.found(Log{Path: dir, Files: parts[dir], rolled: true})
		parts[dir] = nil
	}
}

func (f *finder) file(path string) {
	if _, regular, err := f.archive.stat(path); err != nil || !regular {
		f.leave(path, workload.Unreadable, "not a regular file")
		return
	}
	switch err := looksLikeLog(path, f.archive); {
	case err == errZip:
		f.zipped(path)
		return
	case err != nil:
		f.leaveFor(path, err)
		return
	}
	name := parseLogName(path)
	f.found(Log{Path: path, Files: []string{path}, InProgress: name.inProgress, compacted: name.compact})
}

// withoutPath is an error of the operating system without its path.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// rolling takes a rolling directory: its files in order of their numbers, from the last compacted one on, which
// stands for all before it. Source: Spark's RollingEventLogFilesFileReader.
func (f *finder) rolling(dir string, entries []fs.DirEntry) {
	log, passed, err := rollingLog(dir, entries)
	f.Passed = append(f.Passed, passed...)
	if err != nil {
		f.leaveFor(dir, err)
		return
	}
	f.found(log)
}

// rollingLog also returns the names that are none of its files, or that a compacted one stands for.
func rollingLog(dir string, entries []fs.DirEntry) (log Log, passed []string, err error) {
	type file struct {
		number  int64
		compact bool
		path    string
	}
	log = Log{Path: dir, InProgress: true, rolled: true}
	var files []file
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir():
			passed = append(passed, name)
		case strings.HasPrefix(name, "appstatus_"):
			log.InProgress = log.InProgress && strings.HasSuffix(name, ".inprogress")
		case strings.HasPrefix(name, "events_"):
			number, _, _ := strings.Cut(strings.TrimPrefix(name, "events_"), "_")
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || n < 0 {
				return log, passed, workload.Leave(dir, workload.Damaged, "%s: the number after events_ is %q, want a number from 1 on", name, number)
			}
			files = append(files, file{n, parseLogName(name).compact, filepath.Join(dir, name)})
		default:
			passed = append(passed, name)
		}
	}
	if len(files) == 0 {
		return log, passed, workload.Leave(dir, workload.Empty, "no events_* file in this rolling log")
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(a.number, b.number), workload.CompareBools(a.compact, b.compact), cmp.Compare(a.path, b.path))
	})
	for i := len(files) - 1; i >= 0; i-- {
		if files[i].compact {
			for _, f := range files[:i] {
				passed = append(passed, filepath.Base(f.path))
			}
			files, log.compacted = files[i:], true
			break
		}
	}
	for i, f := range files {
		if i > 0 && f.number != files[i-1].number+1 {
			log.gap = fmt.Sprintf("%s comes after number %d, want number %d: a file of this rolling log is missing", filepath.Base(f.path), files[i-1].number, files[i-1].number+1)
			break
		}
		log.Files = append(log.Files, f.path)
	}
	if first := files[0]; !log.compacted && first.number != 1 {
		return log, passed, workload.Leave(dir, workload.Damaged, "%s is the first file and has number %d, want 1: the files before it are missing", filepath.Base(first.path), first.number)
	}
	return log, passed, nil
}
