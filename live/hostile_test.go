package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What a server answers to one of the requests of a poll, and what is said of it after at most so many requests for it.
func TestHostileAnswers(t *testing.T) {
	const nodes = "/ws/v1/cluster/nodes"
	for _, x := range []struct {
		name     string
		answer   http.HandlerFunc
		want     string
		requests int
		passing  bool
	}{
		{"huge", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, io.LimitReader(endless{}, 1<<20)) }, "the answer has more than 65536 bytes", 1, false},
		{"without end", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, endless{}) }, "the answer has more than 65536 bytes", 1, false},
		{"a trickle without end", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
			}
		}, "the answer stops: less than 64 KiB in 100ms", tries, true},
		{"silence", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timeout awaiting response headers", tries, true},
		{"broken off", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
		}, "the answer breaks off: unexpected EOF", tries, true},
		{"a loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }, "was redirected 5 times, want at most 5", maxRedirects, false},
		{"unauthorized", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "the server answers 401 Unauthorized; --keytab and --principal, --user or --header-file may be wanted", 1, false},
		{"forbidden", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }, "the server answers 403 Forbidden; --keytab", 1, false},
		{"a list", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "[1]") }, "the answer: the text is a list, want an object", 1, false},
		{"deep", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, strings.Repeat("[", 20_000)) }, "exceeded max depth", 1, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			c := busy(t)
			c.Before = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == nodes {
					c.Unlock() // it may take its time
					defer c.Lock()
					x.answer(w, r)
				}
			}
			o := options(c, t.TempDir())
			if o.Timeout = 10 * time.Second; x.passing {
				o.Timeout = 100 * time.Millisecond // which is waited for, or asked again after
			}
			r := quick(t, o, c.URL)
			r.rm.most = 1 << 16
			err := r.poll(t.Context())
			asked := 0
			c.Lock()
			defer c.Unlock()
			for _, p := range c.Asked {
				if p == nodes {
					asked++
				}
			}
			if err == nil || !strings.Contains(err.Error(), x.want) || !strings.HasPrefix(err.Error(), c.URL) || passing(err) != x.passing || asked != x.requests {
				t.Errorf("error %v after %d requests, want %s after %d; passing is %t", err, asked, x.want, x.requests, err != nil && passing(err))
			}
		})
	}
}

// endless is spaces without end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// A cluster that answers something else for a while costs the polls of that while: they are counted and told, and the recording goes on.
func TestPollsThatFail(t *testing.T) {
	c, notes, polls := busy(t), 0, 0
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c.Before = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ws/v1/cluster/info" {
			return
		}
		switch polls++; {
		case polls == 2:
			fmt.Fprint(w, "<html>maintenance</html>")
		case polls == 3:
			w.WriteHeader(http.StatusForbidden)
		case polls > 4:
			stop()
		}
	}
	o := options(c, t.TempDir())
	o.Once, o.Every, o.Note = false, time.Millisecond, func(m string) {
		if strings.HasPrefix(m, "poll left out: "+c.URL) {
			notes++
		}
	}
	r, err := Record(ctx, o)
	if err != context.Canceled || r.Polls.Count != 2 || r.Polls.Failed != 2 || notes != 2 || !strings.Contains(strings.Join(r.MayMiss, "\n"), "2 polls failed and left out") {
		t.Errorf("%v after %d notes: %+v, %q", err, notes, r.Polls, r.MayMiss)
	}
	// The first answer of a recorder tells what is asked wrongly.
	c.Before = func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>another server</html>") }
	if _, err := Record(t.Context(), o); err == nil || !strings.Contains(err.Error(), "want JSON") {
		t.Errorf("error %v", err)
	}
}

// An application that is listed twice is asked for once.
func TestListedTwice(t *testing.T) {
	c := busy(t)
	c.Apps = append(c.Apps, c.Apps[0])
	if _, err := Record(t.Context(), options(c, t.TempDir())); err == nil || !strings.Contains(err.Error(), `apps.app[2].id is "`+app2+`", want one that is not listed before`) {
		t.Errorf("error %v", err)
	}
}

// A history server that is not there is told in the first poll, also where no application has ended yet; what the ResourceManager has is recorded.
func TestHistoryThatIsAway(t *testing.T) {
	c, gone := busy(t), httptest.NewServer(nil)
	gone.Close()
	c.Apps = c.Apps[:1] // the one that runs
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var notes []string
	o := options(c, t.TempDir())
	o.Once, o.History = false, gone.URL
	o.Note = func(m string) {
		notes = append(notes, m)
		stop()
	}
	if _, err := Record(ctx, o); err != context.Canceled || len(notes) != 1 || !strings.HasPrefix(notes[0], "event logs: "+gone.URL+"/api/v1/version: ") {
		t.Errorf("%v after notes %q, want one of the history server", err, notes)
	}
	o.Once = true
	if _, err := Record(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), gone.URL) {
		t.Errorf("once: %v, want the history server", err)
	}
}

// What is wrong with the words of a recording is an OptionError.
func TestWrongOptions(t *testing.T) {
	for want, o := range map[string]Options{
		`--rm is "nota", want a URL such as http://host:8088`:       {RM: []string{"nota"}},
		`--rm has a user or password in the URL of h`:               {RM: []string{"http://a:b@h"}},
		`--history has a query or fragment`:                         {RM: []string{"http://h"}, History: "http://h?x=1"},
		`--webhdfs is "h:9870", want a URL`:                         {RM: []string{"http://h"}, WebHDFS: "h:9870"},
		`--history is "hdfs:/logs", which wants --webhdfs`:          {RM: []string{"http://h"}, History: "hdfs:/logs"},
		`no ResourceManager, want its URL such as http://rm:8088`:   {},
		`--rm is no URL: invalid port ":x" after host, want one su`: {RM: []string{"http://h:x"}},
	} {
		o.Out = t.TempDir()
		_, err := Record(t.Context(), o)
		var option *OptionError
		if !errors.As(err, &option) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want an OptionError: %s", err, want)
		}
	}
}
