package eventlog

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"replay/trace/importer/codec"
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

// openLog opens the file and unpacks it. A file whose first bytes are not those of the codec that its name says,
// or of no event log, is an error that says what they look like.
func openLog(path string) (*codec.File, error) {
	f, err := codec.Open(path, parseLogName(path).codec)
	if err != nil {
		return nil, err
	}
	switch {
	case len(f.Head) == 0:
		err = fmt.Errorf("%s: the file is empty, want an event log: %w", path, io.ErrUnexpectedEOF)
	case f.Codec == codec.Plain && f.Head[0] != '{':
		err = fmt.Errorf("%s: begins with % x, want an event log (%s, plain %x)", path, f.Head, codec.Magics(), '{')
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
