package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"replay/input"
	"replay/outdir"
)

// Files of a recording. docs/record.md has them all.
const (
	recordingFile = "recording.json"
	responses     = "responses"
	eventLogs     = "eventlogs"
	appsDir       = responses + "/apps"
	attemptsDir   = responses + "/attempts"
	logsDir       = responses + "/logs"
)

var outFiles = []string{recordingFile, responses + "/", eventLogs + "/", "cluster.json", "apps.jsonl", "node-events.jsonl", "fair-scheduler.xml", "capacity-scheduler.xml", "hdfs-blocks.jsonl", "task-preferences.jsonl.gz"}

// store is the folder of a recording, with what is in it.
type store struct {
	dir    string
	lock   *outdir.Partial
	rec    Recording
	apps   map[string]*Application
	inputs map[string]*Input // by path
	site   map[string]string // settings of YARN
	hdfs   hdfsDefaults
	queues int
	last   map[string][]byte // last content of files that are written again only when they change
	began  bool              // there was no recording in the folder
	made   bool              // there was no folder
}

type hdfsDefaults struct {
	Replication int64 `json:"replication_default"`
	BlockSize   int64 `json:"block_size"`
}

// openStore begins a recording or takes up one that is there.
func openStore(dir string) (*store, error) {
	_, there := os.Lstat(dir)
	lock, err := lockOut(dir)
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, lock: lock, apps: map[string]*Application{}, last: map[string][]byte{}, made: errors.Is(there, fs.ErrNotExist)}
	if err := s.load(); err != nil {
		lock.Abort()
		return nil, err
	}
	return s, nil
}

// close ends the recorder's hold on the folder. A recording that it began, and that got no whole poll, leaves nothing behind.
func (s *store) close() {
	if s.began && s.rec.Polls.Count == 0 {
		s.takeBack()
	}
	s.lock.Abort()
}

// takeBack removes what there is without a whole poll, unless that has event logs, which the next one need not fetch again.
func (s *store) takeBack() {
	if os.Remove(s.path(eventLogs)) != nil { // it holds something
		return
	}
	for _, name := range []string{"fair-scheduler.xml", "capacity-scheduler.xml"} {
		if text, err := input.ReadFile(s.path(name)); err == nil && strings.Contains(string(text), madeMark) {
			os.Remove(s.path(name))
		}
	}
	os.RemoveAll(s.path(responses))
	os.Remove(s.path(recordingFile))
	if s.made {
		os.Remove(s.dir) // unless it holds what others have put there
	}
}

func (s *store) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// load takes up what is there.
func (s *store) load() error {
	switch err := s.loadJSON(recordingFile, &s.rec); {
	case errors.Is(err, fs.ErrNotExist): // the first file: it says what the folder is
		s.rec.Version, s.began = version, true
		if err := s.writeJSON(recordingFile, &s.rec); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	for _, d := range []string{appsDir, attemptsDir, logsDir, eventLogs, inputsDir, pathsDir} {
		if err := os.MkdirAll(s.path(d), 0o755); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(s.path(appsDir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !applicationID.MatchString(id) {
			return fmt.Errorf("%s: is no file of a recording, want APPLICATION.json", s.path(appsDir+"/"+e.Name()))
		}
		a := &Application{}
		if err := s.loadJSON(appsDir+"/"+e.Name(), a); err != nil {
			return err
		}
		log := &Log{}
		switch err := s.loadJSON(logsDir+"/"+e.Name(), log); {
		case err == nil:
			a.Log = log
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		attempts := &attemptList{}
		switch err := s.loadJSON(attemptsDir+"/"+e.Name(), attempts); {
		case err == nil:
			a.Attempts = attempts.Attempts.Attempt
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		s.apps[id] = a
	}
	return s.loadInputs()
}

func (s *store) loadJSON(name string, v any) error {
	b, err := input.ReadFile(s.path(name))
	if err != nil {
		return err
	}
	if err := decode(b, v); err != nil {
		return fmt.Errorf("%s: %w", s.path(name), err)
	}
	return nil
}

// write puts a file in its place, whole.
func (s *store) write(name string, b []byte) error {
	if err := s.lock.WriteFile("file", b); err != nil {
		return err
	}
	return s.place("file", name)
}

// place puts what was written beside the recording into it, instead of what is there.
func (s *store) place(temp, name string) error {
	to := s.path(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.Rename(s.lock.Path(temp), to)
}

// remove takes a file or folder out of the recording, if it is there.
func (s *store) remove(name string) error {
	delete(s.last, name)
	return os.RemoveAll(s.path(name))
}

// writeJSON is write of a value.
func (s *store) writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return s.writeChanged(name, append(b, '\n'))
}

// writeChanged is write of a file that may be there as it is.
func (s *store) writeChanged(name string, b []byte) error {
	old, known := s.last[name]
	if !known {
		var err error
		old, err = input.ReadFile(s.path(name))
		known = err == nil
	}
	if !known || !bytes.Equal(old, b) {
		if err := s.write(name, b); err != nil {
			return err
		}
	}
	if _, kept := s.last[name]; kept || !strings.HasPrefix(name, responses) { // those of applications are many
		s.last[name] = b
	}
	return nil
}

// writeSeen keeps the answer that a change was seen in, as responses/KIND/TIME.json.
func (s *store) writeSeen(kind string, at int64, answer []byte) error {
	return s.write(path.Join(responses, kind, fmt.Sprintf("%d.json", at)), answer)
}

// finishPoll writes what an import reads, and recording.json as the last.
func (s *store) finishPoll() error {
	s.rec.sum(s.apps, s.inputs, s.queues)
	if err := errors.Join(s.clusterFile(), s.blocksFile()); err != nil {
		return err
	}
	var apps []any
	for _, a := range s.inOrder() {
		if a.Started > 0 {
			apps = append(apps, a.line())
		}
	}
	if err := writeLines(s, "apps.jsonl", apps); err != nil {
		return err
	}
	if err := writeLines(s, "node-events.jsonl", s.rec.NodeEvents); err != nil {
		return err
	}
	return s.writeJSON(recordingFile, &s.rec)
}

// writeLines is write of values as lines of JSON.
func writeLines[T any](s *store, name string, values []T) error {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return s.writeChanged(name, lines.Bytes())
}

// clusterFile writes cluster.json. The settings come first: formats are told by the begin of a file.
func (s *store) clusterFile() error {
	type node struct {
		Node   string `json:"node"`
		Rack   string `json:"rack"`
		MemMiB int64  `json:"memory_mb"`
		VCores int64  `json:"vcores"`
	}
	out := struct {
		Versions map[string]string `json:"versions"`
		Site     map[string]string `json:"yarn_site"`
		HDFS     hdfsDefaults      `json:"hdfs"`
		Nodes    []node            `json:"nodes"`
	}{Versions: map[string]string{"hadoop": s.rec.Cluster.Hadoop}, Site: s.site, HDFS: s.hdfs}
	for _, n := range s.rec.Nodes {
		out.Nodes = append(out.Nodes, node{n.Name, n.Rack, n.MemMiB, n.VCores})
	}
	return s.writeJSON("cluster.json", out)
}

// inOrder lists the applications by start.
func (s *store) inOrder() []*Application {
	return slices.SortedFunc(maps.Values(s.apps), compareApplications)
}
