package trace

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"replay/input"
	"replay/sealed"
)

// Format, Version and TimeUnit stand in the manifest and in every table.
// A reader takes any minor version of its major version.
const (
	Format   = "replay-trace"
	Version  = "1.0"
	TimeUnit = "ms"

	manifestName = "trace.json"
)

// Where preferred nodes come from.
const (
	LocalityRecorded = "recorded" // the preferred hosts as they were asked for
	LocalityModelled = "modelled" // placed by a rule, such as that of HDFS
	LocalityObserved = "observed" // inferred from where tasks ran at which level
	LocalityNone     = "none"
)

// Where durations come from.
const (
	DurationRecorded = "recorded"
	DurationModelled = "modelled"
)

// Meta is everything of a trace but its jobs, executors and attached files.
// All of it is small and kept in memory, but for the files that jobs read, of which there may be one for each job: see [Trace.ReadFiles] and [Writer.AddFile].
type Meta struct {
	Name           string // for people; "" for one that says nothing but what it is, see [Trace.Name]
	OriginUnixMS   int64  // wall clock of time 0 in ms since 1970, or Unset
	Generator      *Generator
	Source         *Source
	LocalitySource string // LocalityRecorded, ...
	DurationSource string // DurationRecorded, ...

	Nodes  []Node // position is the id
	Events []NodeEvent
	Queues []Queue // position is the id
	Users  []User  // position is the id
	Files  []File  // position is the id
}

// Generator says how a synthetic trace was made.
type Generator struct {
	Tool    string            `json:"tool"`
	Version string            `json:"version"`
	Preset  string            `json:"preset"`
	Seed    uint64            `json:"seed"`
	Params  map[string]string `json:"params,omitempty"`
}

// Source says from what a trace was imported.
type Source struct {
	Format  string       `json:"format"`
	Files   []SourceFile `json:"files,omitempty"`
	Licence string       `json:"licence,omitempty"`
	Notes   string       `json:"notes,omitempty"`

	RecordedOn []KindCount `json:"recorded_on,omitempty"` // applications by the cluster manager that ran them, YARN as [YARN]; the most first
	NoEnd      int64       `json:"no_end,omitempty"`      // applications whose recording stops before they ended
	AMVCores   int32       `json:"am_vcores,omitempty"`   // of each node, which the machine of the source did not have and the import added for application masters
	NodesFrom  string      `json:"nodes_from,omitempty"`  // what the source did not say of the nodes was taken from: NodesFromUse, NodesFromClass, NodesFromLoad; "" = the source, or who imported it, said it
	Clusters   *Clusters   `json:"clusters,omitempty"`    // nil = nothing says that the recordings are of several clusters
}

// Clusters counts those that the recordings of a trace seem to be of, as none names a host of another: its nodes are the hosts of all, as one cluster.
type Clusters struct {
	Count   int `json:"count"`
	Hosts   int `json:"hosts"`   // of all
	Largest int `json:"largest"` // hosts of the one that has the most
}

// Apart says in a sentence that the trace is of several clusters, and what that means for a replay; it is "" if nothing says so.
func (s *Source) Apart() string {
	if s == nil || s.Clusters == nil {
		return ""
	}
	c := s.Clusters
	return fmt.Sprintf("the recordings seem to be of %d clusters, as none names a host of another: the trace has the %d hosts of all as one cluster at all times, on which jobs wait less than they did; replay import --nodes %d, with --node-mem and --node-vcores, makes one of as many as the largest has (of executors in pods of their own a host is a pod), or import each by itself", c.Count, c.Hosts, c.Largest)
}

// The attached files in which an import keeps what the source says beside the trace.
const (
	RecordedFile   = "recorded.json"             // of applications: their times above all
	AttemptsFile   = "recorded_attempts.parquet" // of task attempts
	ContainersFile = "recorded_containers.json"  // of containers of a cluster
)

// attachable are the attached files that the program looks for in a trace, by name. A manifest without a list of files has those of them that lie beside it.
var attachable = []string{"capacity-scheduler.xml", "fair-scheduler.xml", ImportReport, "mapred-site.xml", RecordedFile, AttemptsFile, ContainersFile, "yarn-site.xml"}

// From what an import takes the nodes that the source does not describe.
const (
	NodesFromUse   = "use"   // they are as large as what ran on one of them at a time: the least that they can have been
	NodesFromClass = "class" // they are of a usual size, or as large as what ran on one of them at a time where that is more
	NodesFromLoad  = "load"  // they are made up, as many as the work keeps busy to some part
)

// ToldNodes says in a sentence what of the nodes nobody stated, and what that means for a replay; it is "" if they are stated.
func (s *Source) ToldNodes() string {
	if s == nil {
		return ""
	}
	switch s.NodesFrom {
	case NodesFromUse:
		return "the recording does not say how large the nodes are: they are as large as what ran on one at a time, the least that they can have been; what asks for more than was recorded finds no room on them that there may have been (replay import --node-mem and --node-vcores say their size)"
	case NodesFromClass:
		return "the recording does not say how large the nodes are: they are of a usual size, or as large as what ran on one at a time where that is more, and how long jobs wait follows from that (replay import --node-mem and --node-vcores say their size)"
	case NodesFromLoad:
		return "the source names no nodes: they are made up, as many as its work keeps busy to some part, and how long jobs wait follows from that (replay import --nodes, --node-mem and --node-vcores say how many there are and of what size)"
	}
	return ""
}

// YARN is the cluster manager for which the others are replayed; UnknownManager stands for one that the recording does not name.
const (
	YARN           = "YARN"
	UnknownManager = "unknown"
)

// Elsewhere says in a sentence which applications did not run on YARN, and what a machine that is not YARN's got for them; it is "" if all did, or nothing is known.
func (s *Source) Elsewhere() string {
	if s == nil {
		return ""
	}
	if s.AMVCores > 0 {
		return fmt.Sprintf("The machine of the log has no application masters: each node has %d vcore more here, for them, which tasks may take too; loads and utilizations are of this larger cluster", s.AMVCores)
	}
	all, elsewhere, list, unknown := int64(0), int64(0), []string{}, ""
	for _, k := range s.RecordedOn {
		all += k.Count
		switch k.Kind {
		case YARN:
		case UnknownManager:
			unknown = fmt.Sprintf("; of %d it is not known", k.Count)
		default:
			elsewhere += k.Count
			list = append(list, fmt.Sprintf("%s (%d)", k.Kind, k.Count))
		}
	}
	switch {
	case elsewhere == 0:
		return ""
	case all == 1:
		return "The application was not recorded on YARN but on " + s.RecordedOn[0].Kind + ", and is replayed as if on YARN"
	}
	if elsewhere == all {
		return fmt.Sprintf("None of the %d applications was recorded on YARN; they are replayed as if on it: %s", all, strings.Join(list, ", "))
	}
	return fmt.Sprintf("%d of %d applications were not recorded on YARN and are replayed as if on it: %s%s", elsewhere, all, strings.Join(list, ", "), unknown)
}

// SourceFile names an imported file, without its folder.
type SourceFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"` // "" = it was not read to its end
}

// Manifest is trace.json.
type Manifest struct {
	Format         string      `json:"format"`
	Version        string      `json:"version"`
	Name           string      `json:"name,omitempty"`
	TimeUnit       string      `json:"time_unit"`
	OriginUnixMS   *int64      `json:"origin_unix_ms"`
	Generator      *Generator  `json:"generator"`
	Source         *Source     `json:"source"`
	LocalitySource string      `json:"locality_source"`
	DurationSource string      `json:"duration_source"`
	Counts         Counts      `json:"counts"`
	SpanMS         int64       `json:"span_ms"`        // time of the last submission
	Work           *Work       `json:"work,omitempty"` // of all jobs, see [Trace.Work]; nil = nobody says
	Resources      []string    `json:"resources"`
	Files          []FileEntry `json:"files"` // sorted by name
	Hash           string      `json:"hash,omitempty"`

	sum, core string // see takeSums
}

// Counts of a trace's rows.
type Counts struct {
	Jobs       int64 `json:"jobs"`
	Stages     int64 `json:"stages"`
	Tasks      int64 `json:"tasks"`
	Nodes      int64 `json:"nodes"`
	NodeEvents int64 `json:"node_events"`
}

// FileEntry is one file of the directory: a table, or an attached file (no rows).
type FileEntry struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// ImportReport is the attached file that says how a trace was imported. It is no part of the identity: the same
// recordings make the same trace, whatever lay beside them.
const ImportReport = "import.json"

// identity is the hash of a trace with these files: SHA-256 over one line "sha256  name" for each but the import
// report and for the manifest, by name. Of the manifest it takes what says something of the trace: neither the list of
// files, nor those it was imported from, which may be called anything, nor the work, which follows from the tables.
func (m *Manifest) identity(files []FileEntry) string {
	files = append(slices.Clone(files), FileEntry{Name: manifestName, SHA256: m.core})
	h := sha256.New()
	for _, f := range slices.SortedFunc(slices.Values(files), byName) {
		if f.Name == ImportReport {
			continue
		}
		fmt.Fprintf(h, "%s  %s\n", f.SHA256, f.Name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// takeSums sets the hashes of the manifest's text, see [sealed.Sum]. That of all of it leaves out its own hash, and the core also what identity does.
func (m *Manifest) takeSums(text []byte) (err error) {
	if m.sum, err = sealed.Sum(text, sealed.Key); err == nil {
		m.core, err = sealed.Sum(text, sealed.Key, "files", "source.files", "work")
	}
	return err
}

func byName(a, b FileEntry) int { return cmp.Compare(a.Name, b.Name) }

// extraOf notes the further resource types of a job.
func extraOf(j *Job, to map[string]bool) {
	for i := range j.Stages {
		for _, list := range [][]NamedValue{j.Stages[i].Extra, j.Stages[i].ExecExtra} {
			for _, v := range list {
				to[v.Name] = true
			}
		}
	}
}

// resourcesOf lists the resource types a trace speaks of: memory and vcores, then others by name.
func resourcesOf(nodes []Node, extra map[string]bool) []string {
	for _, n := range nodes {
		for _, v := range n.Extra {
			extra[v.Name] = true
		}
	}
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	return append([]string{"memory-mb", "vcores"}, names...)
}

// readManifest reads and checks trace.json of dir, as far as it can be checked without the tables.
func readManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, manifestName)
	data, err := input.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: not a trace directory: %w", dir, err)
	}
	return parseManifest(path, data)
}

// parseManifest checks the text of the manifest at path, before which an editor may have put a byte order mark.
func parseManifest(path string, data []byte) (*Manifest, error) {
	data = input.Unmarked(data)
	var m Manifest
	if err := input.JSON(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	major, _, _ := strings.Cut(Version, ".")
	if got, _, _ := strings.Cut(m.Version, "."); m.Format != Format || got != major {
		return nil, fmt.Errorf("%s: format is %q version %q, want %q version %s.x", path, m.Format, m.Version, Format, major)
	}
	if m.TimeUnit != TimeUnit {
		return nil, fmt.Errorf("%s: time_unit is %q, want %q", path, m.TimeUnit, TimeUnit)
	}
	if m.Version == Version { // a later minor version may have further keys
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		if err := d.Decode(new(Manifest)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := m.takeSums(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if doc, err := sealed.Decode(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	} else if key, known := otherCase(doc, reflect.TypeFor[Manifest]()); key != "" {
		return nil, fmt.Errorf("%s: key %s is unknown, want %s", path, key, known)
	}
	for i, f := range m.Files {
		if err := checkFileName(f.Name); err != nil {
			return nil, fmt.Errorf("%s: files[%d]: %w", path, i, err)
		}
		if i > 0 && m.Files[i-1].Name >= f.Name {
			return nil, fmt.Errorf("%s: files[%d]: name is %q, want the files sorted by name, each once", path, i, f.Name)
		}
	}
	return &m, nil
}

// otherCase finds a key of a document that is one of a type in other letters, for which encoding/json would take it.
func otherCase(doc any, t reflect.Type) (key, known string) {
	switch x := doc.(type) {
	case []any:
		for _, v := range x {
			if key, known = otherCase(v, t.Elem()); key != "" {
				break
			}
		}
	case map[string]any:
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			break // names of the user's
		}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			for _, k := range sortedKeys(x) {
				if k != name && strings.EqualFold(k, name) {
					return k, name
				}
			}
			if key, known = otherCase(x[name], t.Field(i).Type); key != "" {
				break
			}
		}
	}
	return key, known
}

// write writes the manifest with its hash.
func (m *Manifest) write(path string) error {
	m.Hash = ""
	text, err := json.Marshal(m)
	if err == nil {
		err = m.takeSums(text)
	}
	if err != nil {
		return err
	}
	m.Hash = m.sum
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	e := json.NewEncoder(f)
	e.SetIndent("", "  ")
	return errors.Join(e.Encode(m), f.Close())
}

// checkFileName accepts plain names that stay inside the directory on every system.
func checkFileName(name string) error {
	plain := name != "" && name[0] != '.' && len(name) <= 255
	for _, c := range name {
		plain = plain && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c))
	}
	if !plain || name == manifestName {
		return fmt.Errorf("name is %q, want letters, digits, '.', '_' and '-', not starting with '.'", name)
	}
	return nil
}

// KindCount is how often a kind occurs.
type KindCount struct {
	Kind  string `json:"kind"`
	Count int64  `json:"count"`
}
