package eventlog

import (
	"bytes"
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
)

// Log is the log of one application: a file, or the files of a rolling directory in order.
type Log struct {
	Path       string // of the file or directory, for messages
	Files      []string
	InProgress bool // its name says that the application had not ended
	compacted  bool // events of finished jobs were removed
}

// Name is what the name of the log says of its application: its id, and in most cases the attempt.
func (l *Log) Name() string {
	return strings.TrimPrefix(parseLogName(l.Path).base, rollingPrefix)
}

const rollingPrefix = "eventlog_v2_"

// Find returns the event logs among inputs: files, rolling directories, and directories of these,
// in the order of inputs and of names. Files in directories that are no logs are returned as skipped.
func Find(inputs []string) (logs []Log, skipped []string, err error) {
	if len(inputs) == 0 {
		return nil, nil, errors.New("no input, want event logs or directories of them")
	}
	for _, in := range inputs {
		info, err := os.Stat(in)
		if err != nil {
			return nil, nil, err
		}
		if !info.IsDir() {
			logs = append(logs, Log{Path: in, Files: []string{in}, InProgress: parseLogName(in).inProgress})
			continue
		}
		found := len(logs)
		err = filepath.WalkDir(in, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case strings.HasPrefix(e.Name(), ".") && path != in:
				if e.IsDir() {
					return fs.SkipDir
				}
			case e.IsDir() && strings.HasPrefix(filepath.Base(filepath.Clean(path)), rollingPrefix):
				log, err := rollingLog(path)
				if err != nil {
					return err
				}
				logs = append(logs, log)
				return fs.SkipDir
			case e.IsDir():
			case e.Type().IsRegular() && looksLikeLog(path):
				logs = append(logs, Log{Path: path, Files: []string{path}, InProgress: parseLogName(path).inProgress})
			default:
				skipped = append(skipped, path)
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		if len(logs) == found {
			return nil, nil, fmt.Errorf("%s: no event log in this directory, want files that begin with %s or directories %s*", in, logBegin, rollingPrefix)
		}
	}
	return logs, skipped, nil
}

const logBegin = `{"Event":`

// applicationID matches the ids that cluster managers give, with an attempt: of Spark's own, YARN, a local master,
// and Kubernetes.
var applicationID = regexp.MustCompile(`^(app-[0-9]+-[0-9]+|application_[0-9]+_[0-9]+|local-[0-9]+|spark-[0-9a-f]{32})(_[0-9]+)?$`)

// looksLikeLog tells whether a file of a directory is meant as an event log: by its name, else by its begin.
func looksLikeLog(path string) bool {
	name := parseLogName(path)
	if applicationID.MatchString(name.base) {
		return true
	}
	r, err := openLog(path)
	if err != nil {
		return name.codec != "" && name.codec != "gz" || name.inProgress // broken, but meant as a log
	}
	defer r.Close()
	head := make([]byte, len(logBegin))
	n, _ := r.Read(head)
	return bytes.HasPrefix([]byte(logBegin), head[:n]) && n > 0
}

// rollingLog lists the files of a rolling directory: in order of their numbers, from the last compacted
// one on, which stands for all before it. Source: Spark's RollingEventLogFilesFileReader.
func rollingLog(dir string) (Log, error) {
	type file struct {
		number  int64
		compact bool
		path    string
	}
	log := Log{Path: dir, InProgress: true}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return log, err
	}
	var files []file
	status := false
	for _, e := range entries {
		name := e.Name()
		switch {
		case e.IsDir() || strings.HasPrefix(name, "."):
		case strings.HasPrefix(name, "appstatus_"):
			status = true
			if !strings.HasSuffix(name, ".inprogress") {
				log.InProgress = false
			}
		case strings.HasPrefix(name, "events_"):
			number, _, _ := strings.Cut(strings.TrimPrefix(name, "events_"), "_")
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil || n < 0 {
				return log, fmt.Errorf("%s: the number after events_ is %q, want a number from 1 on", filepath.Join(dir, name), number)
			}
			files = append(files, file{n, parseLogName(name).compact, filepath.Join(dir, name)})
		}
	}
	if len(files) == 0 {
		return log, fmt.Errorf("%s: no events_* file in this rolling log", dir)
	}
	if !status {
		return log, fmt.Errorf("%s: no appstatus_* file, want the one that tells whether the application ended", dir)
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(b2i(a.compact), b2i(b.compact)))
	})
	for i := len(files) - 1; i >= 0; i-- {
		if files[i].compact {
			files, log.compacted = files[i:], true
			break
		}
	}
	for i, f := range files {
		if i > 0 && f.number != files[i-1].number+1 {
			return log, fmt.Errorf("%s: comes after number %d, want number %d: a file of this rolling log is missing", f.path, files[i-1].number, files[i-1].number+1)
		}
		log.Files = append(log.Files, f.path)
	}
	if first := files[0]; !log.compacted && first.number != 1 {
		return log, fmt.Errorf("%s: is the first file and has number %d, want 1", first.path, first.number)
	}
	return log, nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
