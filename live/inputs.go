package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"replay/input"
	"replay/trace/importer/codec"
	"replay/trace/importer/lines"
)

// Input is a path of HDFS that applications read, with where its blocks were when HDFS was asked last. It stands in responses/inputs.
type Input struct {
	Path    string      `json:"path"`
	Asked   int64       `json:"asked_unix_ms"`
	Unknown string      `json:"unknown,omitempty"` // why HDFS does not tell; then there are no files
	Files   []InputFile `json:"files"`             // one, or those of a folder in order of names
}

// InputFile is a file with its blocks in order.
type InputFile struct {
	Name   string  `json:"file"`
	Bytes  int64   `json:"bytes"`
	Blocks []Block `json:"blocks"`
}

// Block is a block of a file and the hosts that have it.
type Block struct {
	Offset int64    `json:"offset"`
	Length int64    `json:"length"`
	Hosts  []string `json:"hosts"`
	Racks  []string `json:"racks"`
}

const (
	inputsDir = responses + "/inputs"
	pathsDir  = responses + "/input-paths" // of applications whose inputs were asked for
	maxInputs = 10_000                     // files of a path, and paths of an application
)

// inputs asks for the blocks of what applications with an event log have read. Those of an application are asked for once, after its end.
func (r *recorder) inputs(ctx context.Context, at int64) error {
	if r.hdfs == nil {
		return nil
	}
	for _, a := range r.store.inOrder() {
		if a.Log == nil || a.Inputs {
			continue
		}
		paths, err := r.store.inputPaths(a)
		if err != nil {
			r.Note(fmt.Sprintf("inputs of %s: %v", a.ID, err))
		}
		for _, p := range paths {
			if known := r.store.inputs[p]; known != nil && known.Asked == at {
				continue
			}
			in, err := r.hdfs.input(ctx, p, r.Parallel)
			if err != nil {
				if ctx.Err() != nil || r.Once && passing(err) {
					return err
				}
				r.Note(fmt.Sprintf("inputs of %s: %v", a.ID, err))
				if passing(err) {
					return nil // and again at the next poll
				}
				in = &Input{Path: p, Unknown: err.Error()}
			}
			in.Asked = at
			if err := r.store.writeJSON(inputsDir+"/"+inputName(p), in); err != nil {
				return err
			}
			r.store.inputs[p] = in
		}
		if err := r.store.writeJSON(pathsDir+"/"+a.ID+".json", paths); err != nil {
			return err
		}
		a.Inputs = true
	}
	return nil
}

// inputName is the name of the file for a path.
func inputName(p string) string {
	sum := sha256.Sum256([]byte(p))
	return hex.EncodeToString(sum[:8]) + ".json"
}

// loadInputs takes up the inputs that are there, and which applications' were asked for.
func (s *store) loadInputs() error {
	s.inputs = map[string]*Input{}
	entries, err := os.ReadDir(s.path(inputsDir))
	if err != nil {
		return err
	}
	for _, e := range entries {
		in := &Input{}
		if err := s.loadJSON(inputsDir+"/"+e.Name(), in); err != nil {
			return err
		}
		if inputName(in.Path) != e.Name() {
			return fmt.Errorf("%s: path is %q, want the one that the file is named after", s.path(inputsDir+"/"+e.Name()), in.Path)
		}
		s.inputs[in.Path] = in
	}
	if entries, err = os.ReadDir(s.path(pathsDir)); err != nil {
		return err
	}
	for _, e := range entries {
		if a := s.apps[strings.TrimSuffix(e.Name(), ".json")]; a != nil {
			a.Inputs = true
		}
	}
	return nil
}

// blocksFile writes hdfs-blocks.jsonl, of which an import takes the preferred hosts of tasks that read files. One that somebody else has put there is kept.
func (s *store) blocksFile() error {
	const name, ours = "hdfs-blocks.jsonl", `{"path":`
	if old, _ := input.ReadFile(s.path(name)); len(s.inputs) == 0 || len(old) > 0 && !strings.HasPrefix(string(old), ours) {
		return nil
	}
	type line struct {
		Path  string `json:"path"`
		File  string `json:"file"`
		Index int    `json:"block"`
		Block
	}
	var blocks []line
	for _, p := range slices.Sorted(maps.Keys(s.inputs)) {
		for _, f := range s.inputs[p].Files {
			for i, b := range f.Blocks {
				blocks = append(blocks, line{p, f.Name, i, b})
			}
		}
	}
	return writeLines(s, name, blocks)
}

// inputPaths reads from the event log of an application which paths of HDFS its stages have read, in order of names.
func (s *store) inputPaths(a *Application) ([]string, error) {
	found := map[string]bool{}
	for _, f := range a.Log.Files {
		if err := stagePaths(s.path(eventLogs+"/"+f.Name), found); err != nil {
			return nil, err
		}
		if len(found) > maxInputs {
			return nil, fmt.Errorf("the application reads more than %d paths, which are not asked for", maxInputs)
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

var stageSubmitted = []byte(`"SparkListenerStageSubmitted"`)

// stagePaths adds the paths that the stages of an event log begin with. A log may end in the middle.
func stagePaths(log string, to map[string]bool) error {
	in, err := codec.Open(log, codec.OfName(log), 0)
	if err != nil {
		return err
	}
	defer in.Close()
	for l := lines.NewReader(in); ; {
		line, _, err := l.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: after line %d: %w", log, l.Line(), err)
		}
		if !bytes.Contains(line[:min(len(line), 100)], stageSubmitted) || lines.CheckJSON(line) != nil {
			continue
		}
		var event struct {
			Stage struct {
				RDDs []struct {
					Name    string  `json:"Name"`
					Parents []int64 `json:"Parent IDs"`
				} `json:"RDD Info"`
			} `json:"Stage Info"`
		}
		if json.Unmarshal(line, &event) != nil {
			continue // an import says what is wrong with it
		}
		for _, r := range event.Stage.RDDs {
			if p, ok := hdfsPath(r.Name); ok && len(r.Parents) == 0 {
				to[p] = true
			}
		}
	}
}

// hdfsPath returns the path in HDFS that the name of an RDD speaks of: /PATH or hdfs://AUTHORITY/PATH, without patterns and lists.
func hdfsPath(name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, "hdfs://"); ok {
		at := strings.IndexByte(rest, '/')
		if at < 0 {
			return "", false
		}
		name = rest[at:]
	}
	if !strings.HasPrefix(name, "/") || strings.ContainsAny(name, "*?[{,\x00") {
		return "", false
	}
	return path.Clean(name), true
}

// input asks where the blocks of a path are. That HDFS does not tell is no error.
func (w *webHDFSFiles) input(ctx context.Context, p string, parallel int) (*Input, error) {
	in := &Input{Path: p}
	var status struct {
		Status *struct {
			Type   string `json:"type"`
			Length int64  `json:"length"`
		} `json:"FileStatus"`
	}
	u := w.url(p, "GETFILESTATUS", nil)
	_, err := w.object(ctx, u, &status)
	if err == nil && (status.Status == nil || status.Status.Length < 0) {
		err = wrongAnswer(u, "FileStatus is not there, or of a negative length")
	}
	if err == nil && status.Status.Type == "FILE" {
		in.Files = []InputFile{{Name: p, Bytes: status.Status.Length}}
	} else if err == nil {
		var all []entry
		all, err = w.list(ctx, p)
		for _, e := range all {
			if !e.dir && !strings.HasPrefix(e.name, "_") && !strings.HasPrefix(e.name, ".") { // as FileInputFormat's filter of hidden files
				in.Files = append(in.Files, InputFile{Name: path.Join(p, e.name), Bytes: e.bytes})
			}
		}
		slices.SortFunc(in.Files, func(a, b InputFile) int { return strings.Compare(a.Name, b.Name) })
	}
	if err == nil && len(in.Files) > maxInputs {
		err = fmt.Errorf("%s has %d files, want at most %d", p, len(in.Files), maxInputs)
	}
	if err == nil {
		group, asking := errgroup.WithContext(ctx)
		group.SetLimit(max(parallel, 1))
		for i := range in.Files {
			if f := &in.Files[i]; f.Bytes > 0 {
				group.Go(func() (err error) { f.Blocks, err = w.blocks(asking, f); return err })
			}
		}
		err = group.Wait()
	}
	var answer *answerError
	if errors.As(err, &answer) && answer.status >= 400 && answer.status < 500 && !answer.passing {
		return &Input{Path: p, Unknown: err.Error()}, nil
	}
	return in, err
}

// blocks asks for the blocks of a file. Source: GETFILEBLOCKLOCATIONS of WebHDFS in Hadoop 3.4.1.
func (w *webHDFSFiles) blocks(ctx context.Context, f *InputFile) ([]Block, error) {
	var answer struct {
		Locations *struct {
			Location []struct {
				Offset int64    `json:"offset"`
				Length int64    `json:"length"`
				Hosts  []string `json:"hosts"`
				Paths  []string `json:"topologyPaths"`
			} `json:"BlockLocation"`
		} `json:"BlockLocations"`
	}
	u := w.url(f.Name, "GETFILEBLOCKLOCATIONS", url.Values{"offset": {"0"}, "length": {strconv.FormatInt(f.Bytes, 10)}})
	if _, err := w.object(ctx, u, &answer); err != nil {
		return nil, err
	}
	if answer.Locations == nil {
		return nil, wrongAnswer(u, "BlockLocations is not there, want the blocks of a file")
	}
	var out []Block
	end := int64(0)
	for i, l := range answer.Locations.Location {
		at := fmt.Sprintf("BlockLocations.BlockLocation[%d]", i)
		if l.Offset != end || l.Length <= 0 || l.Length > f.Bytes-end {
			return nil, wrongAnswer(u, "%s is %d bytes at %d, want the block after byte %d of %d", at, l.Length, l.Offset, end, f.Bytes)
		}
		end += l.Length
		b := Block{Offset: l.Offset, Length: l.Length, Hosts: l.Hosts, Racks: []string{}}
		for _, p := range l.Paths {
			b.Racks = append(b.Racks, path.Dir(p))
		}
		out = append(out, b)
	}
	if end != f.Bytes {
		return nil, wrongAnswer(u, "the blocks end at byte %d, want %d", end, f.Bytes)
	}
	return out, nil
}
