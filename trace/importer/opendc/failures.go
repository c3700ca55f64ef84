package opendc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"replay/trace"
	"replay/trace/importer/columns"
	"replay/trace/importer/workflow"
)

// failure is a row of a trace of failures.
type failure struct {
	interval, duration int64   // ms since the end of the one before, and that hosts are down
	intensity          float64 // share of the hosts
}

// mostFailures bounds the rows, and mostEvents what they lead to.
const (
	mostFailures = 10_000_000
	mostEvents   = 50_000_000
)

// failures makes events of a trace of failures, from the first submission to the end of the tasks as they were recorded. The hosts are drawn among
// those of the cluster. An interval begins when the hosts of the failure before are up again.
//
// Source: OpenDC, TraceBasedFailureModel.runInjector, which waits for StartStopHostFault.apply to the end of the failure.
func (r *reader) failures(ctx context.Context, path string, repeat bool) (err error) {
	list, err := r.failureRows(ctx, path)
	if err != nil || len(list) == 0 {
		return err
	}
	round := int64(0)
	for _, f := range list {
		round += f.interval
	}
	if repeat && round == 0 {
		return fmt.Errorf("%s: all values of failure_interval are 0, want some time between failures that repeat", path)
	}
	n := r.b.Options.Nodes
	if n == 0 {
		return errors.New("nodes is 0, want the number of nodes of a cluster (--nodes): failures take a share of them")
	}
	draw := trace.Stream(r.b.Options.Seed, "opendc-failures")
	hosts := make([]int, n)
	for i := range hosts {
		hosts[i] = i
	}
	at, events := r.first, 0
	for i, group := 0, int32(0); ; i, group = i+1, group+1 {
		if i == len(list) {
			if !repeat {
				return nil
			}
			i = 0
		}
		f := list[i]
		if at += f.interval; at > r.last {
			if !repeat {
				r.b.Counts.Dropped["failures_after_the_last_task"] += int64(len(list) - i)
			}
			return nil
		}
		up := at + max(f.duration, 1)
		for k := range min(n, int(math.Ceil(f.intensity*float64(n)))) {
			other := k + draw.IntN(n-k)
			hosts[k], hosts[other] = hosts[other], hosts[k]
			r.event(hosts[k], at, trace.Fail, group)
			r.event(hosts[k], up, trace.Recover, group)
			if events += 2; events > mostEvents {
				return fmt.Errorf("%s: more than %d events of nodes, want fewer nodes or failures", path, mostEvents)
			}
		}
		at = up
	}
}

func (r *reader) event(host int, at int64, kind trace.EventKind, group int32) {
	e := trace.NewNodeEvent(at, 0, kind)
	if e.Group = group; kind == trace.Fail {
		e.Reason = "unknown"
	}
	r.b.Counts.Modelled["hosts_of_failures"]++
	r.b.AddEvent(r.b.MadeHost(host), e)
}

// failureRows reads a trace of failures.
func (r *reader) failureRows(ctx context.Context, path string) (list []failure, err error) {
	f, err := columns.Open(r.b, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var interval, duration, intensity *columns.Column
	if err := f.BindAll([]columns.Want{
		{To: &interval, Required: true, Names: intervalNames}, {To: &duration, Required: true, Names: []string{"failure_duration"}}, {To: &intensity, Required: true, Names: []string{"failure_intensity"}},
	}); err != nil {
		return nil, err
	}
	err = f.Each(ctx, r.b, func(i int) error {
		r.b.Counts.Read["failures"]++
		row := columns.Row{At: i}
		x := failure{row.Int(interval, 0, workflow.MostMS), row.Int(duration, 0, workflow.MostMS), row.Float(intensity)}
		switch {
		case row.Err != nil:
			return r.b.Drop("failures_with_a_bad_value", "%v", row.Err)
		case x.interval == trace.Unset || x.duration == trace.Unset || !(x.intensity > 0 && x.intensity <= 1):
			return r.b.Drop("failures_without_a_value", "%s: row %d: interval %d ms, duration %d ms, intensity %v, want times and a share above 0 and up to 1", path, f.Row(i), x.interval, x.duration, x.intensity)
		}
		if list = append(list, x); len(list) > mostFailures {
			return fmt.Errorf("%s: more than %d failures", path, mostFailures)
		}
		return nil
	})
	return list, err
}
