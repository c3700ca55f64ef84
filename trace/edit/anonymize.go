package edit

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replay/counted"
	"replay/trace"
)

// Anonymize writes a trace without its names to a directory, which is absent or empty: hosts, racks, users, queues, applications, stages, files, labels,
// reasons and groups get pseudonyms, and the time of the origin goes. Structure stays: numbers, sizes, times, which names are equal, and which queue
// is below which; root and default stay what they are.
//
// Without a key pseudonyms count names in their sorted order, so that what a replay decides by the order of names stays. With a key a pseudonym is the name's HMAC-SHA256
// with it, the same in every trace; who has the key can try names.
//
// Of what was configured for an application those known keys stay whose values are numbers, sizes, lengths of time, true and false or the like; a number that may be a
// date or a time of the wall clock does not, nor does any other key: it may have a name in itself. Attached files are left out: they may have any name in them.
func Anonymize(ctx context.Context, t *trace.Trace, out, name, key string, known func(key string) bool) (*Result, error) {
	if err := t.ReadFiles(); err != nil {
		return nil, err
	}
	a := &anonymizing{key: key, known: known, names: map[string]map[string]string{}}
	if err := a.collect(ctx, t); err != nil {
		return nil, err
	}
	m := t.Meta
	m.Name = cmp.Or(name, "anonymous trace")
	m.OriginUnixMS = trace.Unset
	m.Generator = nil
	src := trace.Source{Format: trace.Format, Notes: "anonymized"}
	if s := m.Source; s != nil {
		src.Format, src.RecordedOn, src.NoEnd, src.AMVCores, src.NodesFrom, src.Clusters = s.Format, s.RecordedOn, s.NoEnd, s.AMVCores, s.NodesFrom, s.Clusters
	}
	m.Source = &src
	a.meta(&m)
	r, err := begin(out, m)
	if err != nil {
		return nil, err
	}
	defer r.Abort()
	if err := each(ctx, t, func(j *trace.Job) error {
		a.job(j)
		return r.AddJob(j)
	}); err != nil {
		return nil, err
	}
	err = r.executors(t, func(e *trace.Executor) bool {
		e.Reason = a.of("reason", e.Reason)
		return true
	})
	if err == nil {
		err = r.attach(t, func(string) bool { return false })
	}
	if err != nil {
		return nil, err
	}
	if a.keys > 0 {
		r.res.LeftOut = append(r.res.LeftOut, counted.Of(a.keys, "values of configuration keys of applications"))
	}
	return r.finish()
}

type anonymizing struct {
	key   string
	known func(key string) bool        // of configurations: none of them holds a name
	names map[string]map[string]string // by kind, what stands for a name
	keys  int
}

// collect gives every name of the trace its pseudonym.
func (a *anonymizing) collect(ctx context.Context, t *trace.Trace) error {
	see := func(kind, name string) {
		if a.names[kind] == nil {
			a.names[kind] = map[string]string{}
		}
		a.names[kind][name] = ""
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		see("node", n.Host)
		see("rack", n.Rack)
		for _, l := range n.Labels {
			see("label", l)
		}
	}
	for i := range t.Events {
		see("reason", t.Events[i].Reason)
	}
	for i := range t.Users {
		see("user", t.Users[i].Name)
	}
	for i := range t.Queues {
		for _, part := range strings.Split(t.Queues[i].Path, ".") {
			see("queue", part)
		}
	}
	for i := range t.Files {
		see("file", t.Files[i].Name)
	}
	executors, err := t.Executors()
	if err != nil {
		return err
	}
	for i := range executors {
		see("reason", executors[i].Reason)
	}
	if err := each(ctx, t, func(j *trace.Job) error {
		see("app", j.Name)
		see("id", j.ExternalID)
		for i := range j.Stages {
			see("stage", j.Stages[i].Name)
			see("id", j.Stages[i].ExternalID)
			see("pool", j.Stages[i].Pool)
		}
		return nil
	}); err != nil {
		return err
	}
	for kind, names := range a.names {
		all := make([]string, 0, len(names))
		for name := range names {
			all = append(all, name)
		}
		slices.Sort(all)
		width := len(strconv.Itoa(len(all)))
		for i, name := range all {
			names[name] = a.pseudonym(kind, name, i+1, width)
		}
	}
	return nil
}

// plain are names that say nothing of anybody.
var plain = map[string]map[string]bool{
	"queue": {"root": true, "default": true}, "pool": {"default": true}, "rack": {"/default-rack": true, "/not-in-the-cluster": true},
	"reason": {"maintenance": true, "hardware": true, "rack": true, "unknown": true},
}

// pseudonym is what stands for the i-th name of a kind.
func (a *anonymizing) pseudonym(kind, name string, i, width int) string {
	if name == "" || plain[kind][name] {
		return name
	}
	slash := ""
	if kind == "rack" {
		slash = "/"
	}
	if a.key == "" {
		return fmt.Sprintf("%s%s%0*d", slash, kind, width, i)
	}
	h := hmac.New(sha256.New, []byte(a.key))
	h.Write([]byte(kind + "\x00" + name))
	return slash + kind + "-" + hex.EncodeToString(h.Sum(nil)[:6])
}

func (a *anonymizing) of(kind, name string) string { return a.names[kind][name] }

func (a *anonymizing) meta(m *trace.Meta) {
	m.Nodes = slices.Clone(m.Nodes)
	for i := range m.Nodes {
		n := &m.Nodes[i]
		n.Host, n.Rack = a.of("node", n.Host), a.of("rack", n.Rack)
		n.Labels = slices.Clone(n.Labels)
		for k, l := range n.Labels {
			n.Labels[k] = a.of("label", l)
		}
	}
	m.Events = slices.Clone(m.Events)
	for i := range m.Events {
		m.Events[i].Reason = a.of("reason", m.Events[i].Reason)
	}
	m.Users = slices.Clone(m.Users)
	for i := range m.Users {
		m.Users[i].Name = a.of("user", m.Users[i].Name)
	}
	m.Queues = slices.Clone(m.Queues)
	for i := range m.Queues {
		parts := strings.Split(m.Queues[i].Path, ".")
		for k := range parts {
			parts[k] = a.of("queue", parts[k])
		}
		m.Queues[i].Path = strings.Join(parts, ".")
	}
	m.Files = slices.Clone(m.Files)
	for i := range m.Files {
		m.Files[i].Name = a.of("file", m.Files[i].Name)
	}
}

// harmless are values of configuration keys in which no name can be.
var harmless = regexp.MustCompile(`^(?i:true|false|fair|fifo|client|cluster|[0-9]+(\.[0-9]+)?(ms|us|s|m|min|h|d|b|k|kb|kib|m|mb|mib|g|gb|gib|t|tb|tib)?)$`)

// date are values like 20210305 and 202103051230.
var date = regexp.MustCompile(`^(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])([0-9]{2}){0,3}$`)

// named are known keys whose values are names, which may be a number or a word such as fair.
var named = map[string]bool{"spark.scheduler.pool": true}

// mayTell reports whether a harmless value may be a time of the wall clock: a date, or a number which since 1970 gives one from 1990 to
// 2100 in s, ms, us or ns. Whole MiB and the largest 32-bit number, by which nothing is limited, are taken as sizes and limits.
func mayTell(value string) bool {
	digits := value[:len(value)-len(strings.TrimLeft(value, "0123456789"))]
	if date.MatchString(digits) {
		return true
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n%(1<<20) == 0 || n == math.MaxInt32 {
		return false
	}
	const from, to = 631_152_000, 4_102_444_800 // 1990 and 2100 in s
	for unit := int64(1); unit <= 1e9; unit *= 1000 {
		if n >= from*unit && n < to*unit {
			return true
		}
	}
	return false
}

func (a *anonymizing) job(j *trace.Job) {
	j.Name, j.ExternalID = a.of("app", j.Name), a.of("id", j.ExternalID)
	kept := j.Conf[:0]
	for _, kv := range j.Conf {
		if a.known(kv.Key) && harmless.MatchString(kv.Value) && !named[kv.Key] && !mayTell(kv.Value) {
			kept = append(kept, kv)
		} else {
			a.keys++
		}
	}
	j.Conf = kept
	for i := range j.Stages {
		s := &j.Stages[i]
		s.Name, s.ExternalID, s.Pool = a.of("stage", s.Name), a.of("id", s.ExternalID), a.of("pool", s.Pool)
	}
}
