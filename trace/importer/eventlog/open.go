package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"replay/trace/importer/codec"
	"replay/trace/importer/delimited"
	"replay/trace/importer/foreign"
	"replay/trace/importer/workload"
)

// logName is what the name of an event log file says.
// Source: Spark's EventLogFileWriter and EventLogFileReader.
type logName struct {
	base       string
	codec      string // "" when the name has no known codec
	inProgress bool
	compact    bool
}

func parseLogName(path string) logName {
	n := logName{base: filepath.Base(path)}
	if base, ok := strings.CutSuffix(n.base, ".gz"); ok { // an archive's, around everything of Spark's
		n.base, n.codec = base, "gz"
	}
	n.base, n.compact = strings.CutSuffix(n.base, ".compact")
	n.base, n.inProgress = strings.CutSuffix(n.base, ".inprogress")
	if name := codec.OfName(n.base); name != "" && n.codec == "" {
		n.base, n.codec = strings.TrimSuffix(n.base, "."+name), name
	}
	return n
}

// applicationID matches the ids that cluster managers give, with an attempt: of Spark's own, YARN, a local master,
// and Kubernetes.
var applicationID = regexp.MustCompile(`^(app-[0-9]+-[0-9]+|application_[0-9]+_[0-9]+|local-[0-9]+|spark-[0-9a-f]{32})(_[0-9]+)?$`)

// meant tells whether the name is one that Spark gives to logs.
func (n *logName) meant() bool {
	return applicationID.MatchString(n.base) || n.codec != "" && n.codec != "gz" || n.inProgress || n.compact
}

// openLog opens the file and unpacks it after its first bytes, to at most most bytes (see [codec.Open], or [codec.OpenHashed], which open is). An error is a [workload.LeftOutError].
func openLog(path string, most int64, open func(path, name string, most int64) (*codec.File, error)) (*codec.File, error) {
	f, err := open(path, "", most)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			return nil, workload.Leave(path, workload.Unreadable, "%w", p.Err)
		}
		return nil, workload.Leave(path, workload.Damaged, "%w", err)
	}
	if len(f.Head) == 0 {
		f.Close()
		return nil, workload.Leave(path, workload.Empty, "the file has no bytes, want an event log")
	}
	return f, nil
}

// errZip tells that a file is a zip archive.
var errZip = errors.New("a zip archive")

// headBytes are looked at to tell a log from another file.
const headBytes = 1 << 16

const logBegin = `{"Event":`

// looksLikeLog returns nil if the file begins as an event log does, errZip for a zip archive that is in no other, or else a [workload.LeftOutError].
func looksLikeLog(path string, within *archive) error {
	f, err := openLog(path, 0, within.opens(codec.Open))
	if err != nil {
		return err
	}
	defer f.Close()
	if within == nil && string(f.Head[:min(len(zipMagic), len(f.Head))]) == zipMagic {
		return errZip
	}
	r := bufio.NewReaderSize(f, headBytes)
	head, err := r.Peek(headBytes)
	name := parseLogName(path)
	switch {
	case len(head) == 0 && err != nil && err != io.EOF:
		return workload.Leave(path, workload.Damaged, "%w", err)
	case len(head) == 0:
		return workload.Leave(path, workload.Empty, "%s of nothing, want an event log", f.Codec)
	}
	first := bytes.TrimLeft(head, " \t\r\n")
	if len(first) == 0 {
		return workload.Leave(path, workload.Empty, "begins with nothing but white space, want an event log")
	}
	line, _, whole := bytes.Cut(first, []byte("\n"))
	broken := delimited.Line(line)
	switch {
	case broken != nil && bytes.HasPrefix(line, []byte(logBegin)):
		return workload.Leave(path, workload.Damaged, "line 1: %w", broken)
	case bytes.HasPrefix(line, []byte(logBegin)) || !whole && bytes.HasPrefix([]byte(logBegin), line):
		return nil
	case line[0] == '{' && fastjson.GetString(line, "Event") != "":
		return nil
	case line[0] == '{' && (name.meant() || !whole && bytes.Contains(line, []byte(`"Event"`))):
		return nil // the reader says what is wrong with it
	case name.meant():
		return workload.Leave(path, workload.Damaged, "is named as an event log and begins with % x: %s, want lines of JSON", line[:min(8, len(line))], contentOf(head))
	}
	return workload.Leave(path, workload.Foreign, "%s, not an event log", contentOf(head))
}

// magics are beginnings of files that people keep beside logs, or put logs into.
var magics = []struct{ begin, what string }{
	{zipMagic, "a zip archive in another (unpack it)"},
	{"\x1f\x8b", "packed twice, the second time with gzip (unpack it once)"},
	{"\x04\x22\x4d\x18", "an lz4 frame, where Spark writes blocks (unpack it)"}, {"PAR1", "Parquet"}, {"ORC", "ORC"}, {"Obj\x01", "Avro"},
	{"Avro-Json", "the history of a MapReduce job (import jhist)"}, {"Avro-Binary", "the history of a MapReduce job (import jhist)"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS (git lfs pull fetches the file that it stands for)"},
	{"<", "XML or HTML"}, {"{", "JSON"}, {"[", "JSON"},
}

// contentOf says in words what a file with this beginning is.
func contentOf(head []byte) string {
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "a tar archive (unpack it)"
	}
	if firstEvent.Match(head) {
		if bytes.TrimSpace(head)[0] == '[' {
			return "an array of events, where Spark writes a line for each (jq -c '.[]' FILE does)"
		}
		return "events over several lines each, where Spark writes a line for each (jq -c . FILE does)"
	}
	if what := foreign.What(head); what != "" {
		return what
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.begin)) {
			return m.what
		}
	}
	text := head[:min(4096, len(head))]
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 && len(text) >= utf8.UTFMax || r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b {
			return fmt.Sprintf("binary (% x)", head[:min(8, len(head))])
		}
		text = text[n:]
	}
	return "text"
}
