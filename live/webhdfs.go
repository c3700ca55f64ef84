package live

import (
	"context"
	"io"
	"net/url"
	"path"
	"strings"
)

const webHDFSPrefix = "/webhdfs/v1/"

// webHDFSFiles are those of HDFS by a NameNode or HttpFS.
type webHDFSFiles struct {
	*client
	base *url.URL
}

func (w *webHDFSFiles) name(dir string) string {
	return w.base.String() + path.Join(webHDFSPrefix, dir)
}

// url asks for an operation on a file; query may be nil.
func (w *webHDFSFiles) url(file, op string, query url.Values) *url.URL {
	if query == nil {
		query = url.Values{}
	}
	query.Set("op", op)
	return w.at(w.base, path.Join(webHDFSPrefix, file), query)
}

func (w *webHDFSFiles) list(ctx context.Context, dir string) ([]entry, error) {
	var answer struct {
		Statuses *struct {
			Status []struct {
				Name   string `json:"pathSuffix"`
				Type   string `json:"type"`
				Length int64  `json:"length"`
			} `json:"FileStatus"`
		} `json:"FileStatuses"`
	}
	u := w.url(dir, "LISTSTATUS", nil)
	if _, err := w.object(ctx, u, &answer); err != nil {
		return nil, err
	}
	if answer.Statuses == nil {
		return nil, wrongAnswer(u, "FileStatuses is not there, want the files of a folder")
	}
	var out []entry
	for i, s := range answer.Statuses.Status {
		switch {
		case s.Name == "" || strings.Contains(s.Name, "/") || s.Name == "..":
			return nil, wrongAnswer(u, "FileStatuses.FileStatus[%d].pathSuffix is %q, want a name: is %s a folder?", i, s.Name, dir)
		case s.Length < 0:
			return nil, wrongAnswer(u, "FileStatuses.FileStatus[%d].length is %d, want 0 or more", i, s.Length)
		}
		out = append(out, entry{s.Name, s.Type == "DIRECTORY", s.Length})
	}
	return out, nil
}

// read opens a file: the NameNode redirects to a DataNode.
func (w *webHDFSFiles) read(ctx context.Context, file string, f func(io.Reader) error) error {
	return w.client.read(ctx, w.url(file, "OPEN", nil), "*/*", f)
}
