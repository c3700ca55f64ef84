package engine

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"replay/engine/master"
	"replay/engine/master/mastertest"
	"replay/engine/scenario"
	"replay/engine/yarn/conf"
	"replay/trace"
)

// scribe is a kind of application that only writes down its events.
type scribe struct {
	events []master.Event
	got    []scribed
}

type scribed struct {
	at   int64
	kind master.EventKind
	arg  int64
}

func (k *scribe) Events() []master.Event { return k.events }

func (k *scribe) Plan(*trace.Job) (*master.Plan, error) {
	return &master.Plan{Maker: makes(func(h master.Host) master.Master { return &scribeMaster{kind: k, h: h} })}, nil
}

type scribeMaster struct {
	master.Master
	kind *scribe
	h    master.Host
}

func (m *scribeMaster) Register() error { return nil }

func (m *scribeMaster) Handle(k master.EventKind, arg int64) {
	m.kind.got = append(m.kind.got, scribed{m.h.Now(), k, arg})
}

// TestHostOfTestsKeepsTheOrder schedules the same events in the engine's queue and with the host that tests of applications use.
func TestHostOfTestsKeepsTheOrder(t *testing.T) {
	spark := applications[trace.KindSpark](&scenario.Scenario{Site: &conf.Site{}})
	rows := rowsOf(spark)
	rapid.Check(t, func(r *rapid.T) {
		k := &scribe{events: spark.Events()}
		h := mastertest.New(t, k, &trace.Job{})
		h.Register()
		var q queue
		q.clear(1)
		for i := range int64(rapid.IntRange(0, 30).Draw(r, "events")) {
			at, kind, number := rapid.Int64Range(0, 2).Draw(r, "at"), rapid.IntRange(0, len(k.events)-1).Draw(r, "kind"), int64(0)
			if k.events[kind].Number != "" {
				number = rapid.Int64Range(0, 3).Draw(r, "number")
			}
			h.At(at, master.EventKind(kind), number, i)
			e := numKinds + eventKind(kind)
			q.push(1, at, order(rows[e].class, 1, e, number), i)
		}
		h.Run(2)
		var want []scribed
		for !q.empty() {
			e, _ := q.pop()
			want = append(want, scribed{e.at, master.EventKind(e.kind() - numKinds), e.arg})
		}
		if !slices.Equal(k.got, want) {
			r.Fatalf("the host executes %v, the engine %v", k.got, want)
		}
	})
}
