// Package live records a running cluster, so that it can be imported, replayed and backtested: nodes and what happens to them, queues,
// settings, applications and their event logs. It asks the ResourceManager's REST API, Spark's history server or its folder, and WebHDFS; it only reads.
//
// A recording is a folder to which each poll adds. A file is there whole or not at all, and recording.json is the last that a
// poll writes: a recorder that is killed at any moment goes on from the last whole poll, and what it had beyond it is found
// again. No credential is written: none may stand in a URL, headers are kept in memory, settings that may hold one are left out.
//
// Times are ms since 1970, memory is in MiB.
package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"replay/outdir"
)

// Options say what is recorded and how hard its servers are asked.
type Options struct {
	RM       []string // base URLs of ResourceManagers, of which one answers
	History  string   // base URL of a history server, or a folder: a path, hdfs:/PATH, or a URL with /webhdfs/v1/PATH; "" for none
	WebHDFS  string   // base URL of a NameNode or HttpFS, for hdfs:/PATH
	Out      string
	Once     bool          // one poll
	Every    time.Duration // between the begins of polls
	For      time.Duration // polls begin within it; 0 until ctx ends
	Header   http.Header   // sent to the servers that are named here, and to no other
	User     string        // user.name, for clusters that believe it
	CAFile   string        // certificates of authorities beside those of the system
	Kerberos *Kerberos     // nil without it
	Timeout  time.Duration // without a byte
	Parallel int           // requests at a time
	MaxLog   int64         // bytes of the event logs of an application, unpacked
	Note     func(message string)
}

// An OptionError says what is wrong with the options of a recording: with the words of who starts it, not with what a server or a file has.
type OptionError struct{ err error }

// Error is what is wrong and what was wanted.
func (e *OptionError) Error() string { return e.err.Error() }

// Unwrap returns what is wrong.
func (e *OptionError) Unwrap() error { return e.err }

func optionf(format string, args ...any) error {
	return &OptionError{fmt.Errorf(format, args...)}
}

// Record polls the cluster and adds to the recording in o.Out. A poll that fails because a server does not answer is told to o.Note and
// tried again at the next, and so is one that fails for what it answers, if another one before came to its end; with o.Once it is an error.
func Record(ctx context.Context, o Options) (*Recording, error) {
	r, err := newRecorder(&o)
	if err != nil {
		return nil, err
	}
	store, err := openStore(o.Out)
	if err != nil {
		return nil, err
	}
	defer store.close()
	r.store = store
	r.rec = &store.rec
	if err := r.rec.begin(&o, r.sources()); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Out, err)
	}
	begun, before := time.Now(), r.rec.Polls.Count
	for {
		at := time.Now()
		err := r.poll(ctx)
		var answer *answerError
		switch {
		case ctx.Err() != nil:
			return r.rec, ctx.Err()
		case err != nil && (o.Once || !passing(err) && (r.rec.Polls.Count == before || !errors.As(err, &answer))):
			return nil, err
		case err != nil:
			r.rec.left()
			o.Note("poll left out: " + err.Error())
		}
		next := at.Add(o.Every)
		if o.Once || o.For > 0 && next.Sub(begun) >= o.For {
			if r.rec.Polls.Count == 0 {
				return nil, fmt.Errorf("%s: no poll came to its end: %w", o.Out, err)
			}
			return r.rec, nil
		}
		select {
		case <-ctx.Done():
			return r.rec, ctx.Err()
		case <-time.After(time.Until(next)):
		}
	}
}

// passing tells whether an error may be another one in a minute: the server's, and not of its answer or of the disk.
func passing(err error) bool {
	var answer *answerError
	return errors.As(err, &answer) && answer.passing
}

// recorder records one cluster.
type recorder struct {
	*Options
	rm    *resourceManager
	logs  logSource     // nil without history
	hdfs  *webHDFSFiles // nil without WebHDFS
	store *store
	rec   *Recording

	reached bool // where the logs are has answered
}

func newRecorder(o *Options) (*recorder, error) {
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if len(o.RM) == 0 {
		return nil, optionf("no ResourceManager, want its URL such as http://rm:8088")
	}
	r := &recorder{Options: o}
	var bases []*url.URL
	for _, text := range o.RM {
		u, err := baseURL("rm", text)
		if err != nil {
			return nil, err
		}
		bases = append(bases, u)
	}
	named := bases
	var history, webHDFS *url.URL
	var err error
	if strings.HasPrefix(o.History, "http://") || strings.HasPrefix(o.History, "https://") {
		if history, err = baseURL("history", o.History); err != nil {
			return nil, err
		}
		named = append(named, history)
	}
	if o.WebHDFS != "" {
		if webHDFS, err = baseURL("webhdfs", o.WebHDFS); err != nil {
			return nil, err
		}
		named = append(named, webHDFS)
	}
	c, err := newClient(o, named)
	if err != nil {
		return nil, err
	}
	r.rm = &resourceManager{client: c, bases: bases}
	if webHDFS != nil {
		r.hdfs = &webHDFSFiles{c, webHDFS}
	}
	hdfsPath, hdfs := strings.CutPrefix(o.History, "hdfs:")
	switch {
	case o.History == "":
	case history != nil && strings.Contains(history.Path+"/", webHDFSPrefix):
		base, dir, _ := strings.Cut(history.Path+"/", webHDFSPrefix)
		history.Path = base
		r.hdfs = &webHDFSFiles{c, history}
		r.logs = &folder{files: r.hdfs, dir: path.Clean("/" + dir), parallel: o.Parallel}
	case history != nil:
		r.logs = &historyServer{client: c, base: history}
	case hdfs && webHDFS == nil:
		return nil, optionf("--history is %q, which wants --webhdfs with the URL of the NameNode, such as http://namenode:9870", o.History)
	case hdfs:
		if rest, ok := strings.CutPrefix(hdfsPath, "//"); ok { // hdfs://authority/path
			_, p, _ := strings.Cut(rest, "/")
			hdfsPath = "/" + p
		}
		r.logs = &folder{files: r.hdfs, dir: path.Clean(hdfsPath), parallel: o.Parallel}
	default:
		r.logs = &folder{files: localFiles{}, dir: strings.TrimPrefix(o.History, "file:"), parallel: o.Parallel}
	}
	return r, nil
}

// baseURL reads the URL of a server; what is wrong with it is an [OptionError].
func baseURL(flag, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, optionf("--%s is no URL: %w, want one such as http://host:8088", flag, errors.Unwrap(err))
	}
	switch {
	case u.User != nil:
		return nil, optionf("--%s has a user or password in the URL of %s, want none: credentials go in a --header-file", flag, u.Host)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, optionf("--%s is %q, want a URL such as http://host:8088", flag, text)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, optionf("--%s has a query or fragment, want the URL of the server alone, such as %s://%s", flag, u.Scheme, u.Host)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

// sources names the servers for people and for the recording.
func (r *recorder) sources() Sources {
	s := Sources{}
	for _, u := range r.rm.bases {
		s.RM = append(s.RM, u.String())
	}
	if r.logs != nil {
		s.History = r.logs.String()
	}
	return s
}

// poll asks for everything once and adds it to the recording.
func (r *recorder) poll(ctx context.Context) error {
	at := time.Now().UnixMilli()
	if err := r.settings(ctx, at); err != nil {
		return err
	}
	if err := r.nodes(ctx, at); err != nil {
		return err
	}
	if err := r.applications(ctx); err != nil {
		return err
	}
	if err := r.eventLogs(ctx); err != nil {
		return err
	}
	if err := r.inputs(ctx, at); err != nil {
		return err
	}
	r.rec.polled(at, r.Every.Milliseconds())
	return r.store.finishPoll()
}

// lockOut locks the folder of a recording, and gives a place on its disk where files are written before they are put in place.
func lockOut(dir string) (*outdir.Partial, error) {
	kind := outdir.Kind{Mark: recordingFile, Files: outFiles}
	if err := kind.Check(dir); err != nil {
		return nil, err
	}
	return outdir.Begin(dir)
}
