package live

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Log says of the event logs of an application which files they are; it stands in responses/logs when all of them are in place.
type Log struct {
	From  string    `json:"from"`
	Files []LogFile `json:"files"`
}

// LogFile is a file in eventlogs.
type LogFile struct {
	Name   string `json:"name"` // with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// unfinished is what Spark puts behind the name of a log that a driver writes, or whose driver was killed.
const unfinished = ".inprogress"

// whole reports whether all files have an end.
func (l *Log) whole() bool {
	return !slices.ContainsFunc(l.Files, func(f LogFile) bool { return strings.HasSuffix(f.Name, unfinished) })
}

// covers reports whether a file is there with at least so many bytes. HDFS lists a file that is being written with fewer than can be read of it.
func (l *Log) covers(name string, bytes int64) bool {
	return slices.ContainsFunc(l.Files, func(f LogFile) bool { return f.Name == name && f.Bytes >= bytes })
}

// logSource is where event logs are.
type logSource interface {
	// refresh is called before take, once in a poll that has logs to take, and in the first. It fails where there is no such source.
	refresh(ctx context.Context) error
	// take writes the event logs of an application that ended. found is false where they are not there, or not whole yet, or no others than before.
	take(ctx context.Context, a *Application, to *logWriter) (found bool, err error)
	String() string
}

// logName matches the names that Spark gives to event logs of applications of YARN: of one file, or of a folder of a rolling log.
// Source: EventLogFileWriter of Spark 3.5.5.
var logName = regexp.MustCompile(`^(eventlog_v2_)?(application_[0-9]+_[0-9]+)(_[0-9]+)?(\.[a-z0-9]+)?(\.inprogress)?$`)

// rollingPart matches the names of files in a rolling log.
var rollingPart = regexp.MustCompile(`^(events_[0-9]+_|appstatus_)[A-Za-z0-9_.-]+$`)

// checkLogName tells whether name, with slashes, is that of a file of an event log of the application.
func checkLogName(name, app string) error {
	dir, file := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	top := file
	if dir != "" {
		top = dir
	}
	m := logName.FindStringSubmatch(top)
	if m == nil || m[2] != app || (dir != "") != (m[1] != "") || dir != "" && !rollingPart.MatchString(file) {
		return fmt.Errorf("a file is called %q, want the event log of %s", name, app)
	}
	return nil
}

// logWriter writes the event logs of one application beside the recording.
type logWriter struct {
	store *store
	app   string
	temp  string // in the store's lock
	left  int64  // bytes
	most  int64
	files []LogFile
}

func (w *logWriter) path(name string) string {
	return w.store.lock.Path(w.temp + "/" + name)
}

// begin forgets what an earlier try wrote.
func (w *logWriter) begin() error {
	w.files, w.left = nil, w.most
	if err := os.RemoveAll(w.path("")); err != nil {
		return err
	}
	return os.MkdirAll(w.path(""), 0o755)
}

// write takes a file.
func (w *logWriter) write(name string, r io.Reader) error {
	if err := checkLogName(name, w.app); err != nil {
		return err
	}
	to := w.path(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), io.LimitReader(r, w.left+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if w.left -= n; w.left < 0 {
		return fmt.Errorf("the event logs of %s have more than %d bytes, want at most that; --max-log allows more", w.app, w.most)
	}
	w.files = append(w.files, LogFile{name, n, hex.EncodeToString(h.Sum(nil))})
	return nil
}

// finish puts the files in place of those that were there before, if any, and then says that they are there.
func (w *logWriter) finish(from string) (*Log, error) {
	said := logsDir + "/" + w.app + ".json"
	if err := w.store.remove(said); err != nil {
		return nil, err
	}
	before, err := os.ReadDir(w.store.path(eventLogs))
	if err != nil {
		return nil, err
	}
	for _, e := range before { // those of a recorder that was killed, too
		if m := logName.FindStringSubmatch(e.Name()); m != nil && m[2] == w.app {
			if err := w.store.remove(eventLogs + "/" + e.Name()); err != nil {
				return nil, err
			}
		}
	}
	tops := map[string]bool{}
	for _, f := range w.files {
		top, _, _ := strings.Cut(f.Name, "/")
		tops[top] = true
	}
	for _, top := range slices.Sorted(maps.Keys(tops)) {
		if err := os.Rename(w.path(top), w.store.path(eventLogs+"/"+top)); err != nil {
			return nil, err
		}
	}
	if err := os.RemoveAll(w.path("")); err != nil {
		return nil, err
	}
	slices.SortFunc(w.files, func(a, b LogFile) int { return strings.Compare(a.Name, b.Name) })
	log := &Log{from, w.files}
	return log, w.store.writeJSON(said, log)
}

// eventLogs takes the event logs of the Spark applications that ended and have none yet, or one without an end: the driver of an application that is killed may
// still write it. What is wrong with one is told, and asked again at the next poll.
func (r *recorder) eventLogs(ctx context.Context) error {
	if r.logs == nil {
		return nil
	}
	var wanted []*Application
	for _, a := range r.store.inOrder() {
		if a.ended() && a.spark() && (a.Log == nil || !a.Log.whole()) {
			wanted = append(wanted, a)
		}
	}
	if len(wanted) == 0 && r.reached { // an address that leads nowhere is told at once, not when the first application ends
		return nil
	}
	if err := r.logs.refresh(ctx); err != nil {
		if ctx.Err() != nil || !passing(err) || r.Once {
			return err
		}
		r.Note("event logs: " + err.Error())
		return nil
	}
	r.reached = true
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(max(r.Parallel, 1))
	var one sync.Mutex
	var wrong []error
	for i, a := range wanted {
		group.Go(func() error {
			w := &logWriter{store: r.store, app: a.ID, temp: fmt.Sprintf("log%d", i), most: r.MaxLog}
			found, err := false, w.begin()
			if err != nil {
				return err
			}
			if found, err = r.logs.take(asking, a, w); err != nil && asking.Err() == nil {
				one.Lock()
				defer one.Unlock()
				wrong = append(wrong, fmt.Errorf("event log of %s: %w", a.ID, err))
			}
			if err != nil || !found {
				return errors.Join(asking.Err(), os.RemoveAll(w.path("")))
			}
			one.Lock()
			defer one.Unlock()
			log, err := w.finish(r.logs.String())
			if err != nil {
				return err
			}
			a.Log = log
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	for _, err := range wrong {
		r.Note(err.Error())
	}
	return nil
}
