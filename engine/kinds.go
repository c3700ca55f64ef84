package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/generic"
	"replay/engine/mapreduce"
	"replay/engine/master"
	"replay/engine/scenario"
	"replay/engine/spark/driver"
	"replay/trace"
)

// applications are the kinds of applications that can be replayed, by the kind of job: a folder and a line for each.
var applications = map[string]func(*scenario.Scenario) master.Kind{
	trace.KindSpark:     func(sc *scenario.Scenario) master.Kind { return driver.NewKind(sc.Spark()) },
	trace.KindMapReduce: func(sc *scenario.Scenario) master.Kind { return mapreduce.NewKind(sc.MapReduce()) },
	trace.KindGeneric:   func(sc *scenario.Scenario) master.Kind { return generic.NewKind(sc.Generic()) },
}

// likeGeneric are kinds of jobs whose applications are those of generic jobs.
var likeGeneric = []string{trace.KindGang, trace.KindService}

// appKind is a kind of application in a replay.
type appKind struct {
	master.Kind
	rows    []kind // of its events
	private bool   // some of them are
	many    int    // position of the private one of which there are many, 0 for none
	jobs    int    // that arrived
}

func kindsOf(sc *scenario.Scenario) map[string]*appKind {
	out := make(map[string]*appKind, len(applications))
	for name, make := range applications {
		k := make(sc)
		rows := rowsOf(k)
		out[name] = &appKind{Kind: k, rows: rows, private: slices.ContainsFunc(rows, func(r kind) bool { return r.private }),
			many: max(slices.IndexFunc(rows, func(r kind) bool { return r.many && r.private }), 0)}
	}
	for _, name := range likeGeneric {
		out[name] = out[trace.KindGeneric]
	}
	return out
}

// eachKind yields the kinds in the order of their names, each once.
func (s *sim) eachKind(yield func(*appKind) bool) {
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		if !slices.Contains(likeGeneric, name) && !yield(s.kinds[name]) {
			return
		}
	}
}

// kindOf returns the kind of a job that arrives. The error says which there are.
func (s *sim) kindOf(j *trace.Job) (*appKind, error) {
	if k, ok := s.kinds[j.Kind]; ok {
		k.jobs++
		return k, nil
	}
	known := slices.Sorted(maps.Keys(s.kinds))
	return nil, fmt.Errorf("its kind is %q; this version replays %s", j.Kind, strings.Join(known, " and "))
}
