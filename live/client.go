package live

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"time"

	"replay/input"
)

const (
	maxAnswer    = 256 << 20
	leastAtOnce  = 64 << 10 // bytes that a server sends in the time for which it may be silent, until it ends
	tries        = 4
	firstPause   = 500 * time.Millisecond // between tries; it doubles
	longestPause = 30 * time.Second
	maxRedirects = 5
)

// client asks servers, with as many requests at a time as it may, and again where a server is busy.
type client struct {
	http    *http.Client
	header  http.Header
	named   map[string]bool // servers that get the header, as scheme://host:port
	user    string
	timeout time.Duration
	slots   chan struct{}
	pause   time.Duration // before the second try
	most    int64         // bytes of an answer that is read as one text
}

func newClient(o *Options, named []*url.URL) (*client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = o.Timeout
	transport.MaxResponseHeaderBytes = 1 << 20
	transport.MaxIdleConnsPerHost = o.Parallel
	transport.DisableCompression = true // an answer is as long as it says
	if o.CAFile != "" {
		pem, err := input.ReadFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it, want PEM", o.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	c := &client{header: o.Header, named: map[string]bool{}, user: o.User, timeout: o.Timeout, slots: make(chan struct{}, max(o.Parallel, 1)), pause: firstPause, most: maxAnswer}
	for _, u := range named {
		c.named[origin(u)] = true
	}
	var round http.RoundTripper = transport
	if o.Kerberos != nil {
		n, err := newNegotiation(o.Kerberos, transport)
		if err != nil {
			return nil, err
		}
		round = n
	}
	jar, err := cookiejar.New(nil) // a server that negotiates asks once, and then knows its cookie
	if err != nil {
		return nil, err
	}
	c.http = &http.Client{Transport: &authorised{round, c}, CheckRedirect: c.redirect, Jar: jar}
	return c, nil
}

// authorised adds the header for servers that were named.
type authorised struct {
	next http.RoundTripper
	c    *client
}

// RoundTrip is as of [http.RoundTripper].
func (a *authorised) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(a.c.header) > 0 && a.c.named[origin(req.URL)] {
		req = req.Clone(req.Context())
		for name, values := range a.c.header {
			req.Header[name] = values
		}
	}
	return a.next.RoundTrip(req)
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// redirect follows a standby ResourceManager to the active one, and a NameNode to a DataNode, but not out of TLS.
func (c *client) redirect(req *http.Request, via []*http.Request) error {
	switch from := via[len(via)-1].URL; {
	case len(via) >= maxRedirects:
		return fmt.Errorf("was redirected %d times, want at most %d", len(via), maxRedirects)
	case from.Scheme == "https" && req.URL.Scheme != "https":
		return fmt.Errorf("was redirected from https to %s://%s, which is not followed", req.URL.Scheme, req.URL.Host)
	}
	return nil
}

// answerError is what is wrong with the answer of a server.
type answerError struct {
	url     string
	status  int  // 0 if there was none
	passing bool // it may be another one in a minute
	err     error
}

// wrongAnswer is an error of what an answer says.
func wrongAnswer(u *url.URL, format string, args ...any) error {
	return &answerError{url: shown(u), status: http.StatusOK, err: fmt.Errorf(format, args...)}
}

// Error says the URL first.
func (e *answerError) Error() string { return e.url + ": " + e.err.Error() }

// Unwrap returns what is wrong.
func (e *answerError) Unwrap() error { return e.err }

// withheld reports whether the server has nothing there, or not for who asks.
func (e *answerError) withheld() bool {
	return e.status == http.StatusNotFound || e.status == http.StatusForbidden || e.status == http.StatusUnauthorized
}

// shown is a URL without what is secret in it.
func shown(u *url.URL) string {
	v := *u
	v.User = nil
	q := v.Query()
	for name := range q {
		if secretName.MatchString(name) || name == "delegation" {
			q.Set(name, "left-out")
		}
	}
	v.RawQuery = q.Encode()
	return v.String()
}

// at is a URL below a base.
func (c *client) at(base *url.URL, path string, query url.Values) *url.URL {
	u := *base
	u.Path += path
	if query == nil {
		query = url.Values{}
	}
	if c.user != "" {
		query.Set("user.name", c.user)
	}
	u.RawQuery = query.Encode()
	return &u
}

// read gives the body of the answer of a GET to f, as often as it takes.
func (c *client) read(ctx context.Context, u *url.URL, accept string, f func(io.Reader) error) error {
	pause := c.pause
	for try := 1; ; try++ {
		again, err := c.once(ctx, u, accept, f)
		var answer *answerError
		if err == nil || ctx.Err() != nil || try == tries || !errors.As(err, &answer) || !answer.passing {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(min(max(pause, again), longestPause)):
		}
		pause *= 2
	}
}

// once asks once; again is how long the server asks to wait.
func (c *client) once(ctx context.Context, u *url.URL, accept string, f func(io.Reader) error) (again time.Duration, err error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	asked := ctx
	ctx, cancel := context.WithCancel(asked)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", accept)
	wrong := func(status int, passing bool, err error) error {
		return &answerError{url: shown(u), status: status, passing: passing, err: err}
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var secure *tls.CertificateVerificationError
		passing := !errors.As(err, &secure) && !strings.Contains(err.Error(), "redirected")
		var with *url.Error // has the URL, with what is secret in it
		if errors.As(err, &with) {
			err = with.Err
		}
		return 0, wrong(0, passing, err)
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
	case code == http.StatusTemporaryRedirect:
		return 0, wrong(code, true, errors.New("there is no active ResourceManager: the standby one names no other"))
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return 0, wrong(code, false, fmt.Errorf("the server answers %s; --keytab and --principal, --user or --header-file may be wanted", resp.Status))
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return time.Duration(seconds) * time.Second, wrong(code, true, fmt.Errorf("the server answers %s", resp.Status))
	default:
		return 0, wrong(code, false, fmt.Errorf("the server answers %s", resp.Status))
	}
	stalled := time.AfterFunc(c.timeout, cancel)
	defer stalled.Stop()
	body := &watched{Reader: resp.Body, stalled: stalled, timeout: c.timeout}
	if err := f(body); err != nil {
		switch {
		case body.err != nil && asked.Err() == nil && ctx.Err() != nil:
			return 0, wrong(0, true, fmt.Errorf("the answer stops: less than %d KiB in %s", leastAtOnce>>10, c.timeout))
		case body.err != nil:
			return 0, wrong(0, true, fmt.Errorf("the answer breaks off: %w", body.err))
		}
		return 0, wrong(resp.StatusCode, false, err)
	}
	return 0, nil
}

// watched is a body that must not stop for longer than a time, nor trickle.
type watched struct {
	io.Reader
	stalled *time.Timer
	timeout time.Duration
	got     int   // bytes since the timer was set
	err     error // of the connection
}

// Read is as of [io.Reader].
func (w *watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	if err != nil && err != io.EOF {
		w.err = err
	}
	if w.got += n; w.got >= leastAtOnce {
		w.got = 0
		w.stalled.Reset(w.timeout)
	}
	return n, err
}

// text returns an answer as one text.
func (c *client) text(ctx context.Context, u *url.URL, accept string) (b []byte, err error) {
	err = c.read(ctx, u, accept, func(r io.Reader) error {
		b, err = io.ReadAll(io.LimitReader(r, c.most+1))
		if err == nil && int64(len(b)) > c.most {
			err = fmt.Errorf("the answer has more than %d bytes, want at most that", c.most)
		}
		return err
	})
	return b, err
}

// object decodes an answer of JSON into v, and returns it as it was.
func (c *client) object(ctx context.Context, u *url.URL, v any) ([]byte, error) {
	b, err := c.text(ctx, u, "application/json")
	if err != nil {
		return nil, err
	}
	if err := decode(b, v); err != nil {
		return nil, wrongAnswer(u, "%w", err)
	}
	return b, nil
}

// decode reads JSON, with errors that say field, value and what was wanted.
func decode(b []byte, v any) error {
	if first := bytes.TrimSpace(b); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return fmt.Errorf("the answer begins with %q, want JSON", first[:min(len(first), 40)])
	}
	if err := input.JSON(b, v); err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	return nil
}

// get is object below a base.
func (c *client) get(ctx context.Context, base *url.URL, path string, query url.Values, v any) ([]byte, error) {
	return c.object(ctx, c.at(base, path, query), v)
}

// ReadHeaders reads lines of the form "Name: value". Empty lines and those that begin with # are passed over.
func ReadHeaders(path string) (http.Header, error) {
	b, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	h, n := http.Header{}, 0
	for line := range strings.Lines(string(b)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, fmt.Errorf("%s: line %d: is no header, want NAME: VALUE", path, n) // not the line: it may be a secret
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}
