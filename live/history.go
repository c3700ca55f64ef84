package live

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// historyServer is Spark's, by its REST API, /api/v1.
type historyServer struct {
	*client
	base *url.URL
}

// String is its address.
func (h *historyServer) String() string { return h.base.String() }

// refresh asks for the version, of which nothing is kept: a server that does not answer is not asked for each application.
func (h *historyServer) refresh(ctx context.Context) error {
	u := *h.base
	u.Path += "/api/v1/version"
	var version struct{}
	_, err := h.object(ctx, &u, &version)
	return err
}

type historyApplication struct {
	ID       string `json:"id"`
	Attempts []struct {
		Completed bool `json:"completed"`
	} `json:"attempts"` // the latest first
}

const maxEntries = 100_000 // files of the event logs of an application

// take unpacks /applications/ID/logs, a zip archive of the logs of all attempts.
func (h *historyServer) take(ctx context.Context, a *Application, to *logWriter) (bool, error) {
	if a.Log != nil { // it does not say whether there is more
		return false, nil
	}
	path := "/api/v1/applications/" + a.ID
	u := *h.base
	u.Path += path
	var known historyApplication
	_, err := h.object(ctx, &u, &known)
	var answer *answerError
	if errors.As(err, &answer) && answer.status == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if known.ID != a.ID {
		return false, &answerError{url: shown(&u), err: fmt.Errorf("id is %q, want %q", known.ID, a.ID)}
	}
	// An application that ended in order has a log that ends; of one that was killed the log stays as it is.
	if a.State == "FINISHED" && len(known.Attempts) > 0 && !known.Attempts[0].Completed {
		return false, nil
	}
	u.Path += "/logs"
	packed := to.path("packed.zip")
	err = h.read(ctx, &u, "application/octet-stream, application/zip, */*", func(r io.Reader) error {
		f, err := os.Create(packed)
		if err != nil {
			return err
		}
		n, err := io.Copy(f, io.LimitReader(r, to.most+1))
		if err = errors.Join(err, f.Close()); err == nil && n > to.most {
			err = fmt.Errorf("the archive has more than %d bytes, want at most that; --max-log allows more", to.most)
		}
		return err
	})
	if errors.As(err, &answer) && answer.status == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := unzip(packed, to); err != nil {
		return false, &answerError{url: shown(&u), err: err}
	}
	return len(to.files) > 0, os.Remove(packed)
}

// unzip gives the files of an archive to a writer, which has their limit.
func unzip(path string, to *logWriter) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("is no zip archive: %w", err)
	}
	defer z.Close()
	if len(z.File) > maxEntries {
		return fmt.Errorf("the archive has %d files, want at most %d", len(z.File), maxEntries)
	}
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		r, err := f.Open()
		if err == nil {
			err = to.write(f.Name, r)
			err = errors.Join(err, r.Close())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}
