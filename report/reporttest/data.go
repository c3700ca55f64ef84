package reporttest

import (
	"fmt"
	"sync"
	"testing"

	"replay/engine/record"
	"replay/report/result"
)

// Feed gives the records of a replay to a sink and returns the manifest that belongs to them.
type Feed func(record.Sink) record.Manifest

// Feeds are results that every property must hold for.
var Feeds = map[string]Feed{
	"nothing": func(record.Sink) record.Manifest {
		return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion}
	},
	"one job":    MadeUp{Seed: 1, Jobs: 1, Nodes: 1, WaitMS: 100, Queues: []string{"root.q"}}.Feed,
	"unfinished": MadeUp{Seed: 1, Jobs: 5, Nodes: 2, WaitMS: 100, Queues: []string{"root.q", "root.r"}, LostJobs: 5}.Feed,
	"by hand":    ByHand,
	"in chains":  InChains,
	"usual":      Usual.Feed,
	"no shares": func(s record.Sink) record.Manifest {
		s.Sample(&record.Sample{Queue: "root.a", FairMem: record.None, FairVCores: record.None, SteadyMem: record.None, SteadyVCores: record.None, PendingMem: 1})
		s.Sample(&record.Sample{Queue: "root.b", FairMem: record.None, FairVCores: record.None, SteadyMem: record.None, SteadyVCores: record.None, PendingMem: 1})
		return record.Manifest{Format: record.Format, FormatVersion: record.FormatVersion, Totals: record.Totals{EndMS: 1000}}
	},
}

// made are the data of [MadeUp] replays that were asked for before: each is made once in a run of tests.
var made = struct {
	sync.Mutex
	data map[string]*result.Data
}{data: map[string]*result.Data{}}

// Data returns the data of a made-up replay. It is shared, so that it must not be changed.
func (m MadeUp) Data(t testing.TB) *result.Data {
	t.Helper()
	made.Lock()
	defer made.Unlock()
	key := fmt.Sprintf("%+v", m)
	if made.data[key] == nil {
		made.data[key] = DataOf(t, m.Feed)
	}
	return made.data[key]
}

// DataOf returns the data of a replay, for the caller alone.
func DataOf(t testing.TB, feed Feed) *result.Data {
	t.Helper()
	c := result.NewCollector()
	d, err := c.Finish(feed(c))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Changed are the jobs of data, each changed; the data keep their own.
func Changed(d *result.Data, change func(*result.Job)) result.Jobs {
	var list []result.Job
	for j := range d.Jobs.All() {
		list = append(list, *j)
		change(&list[len(list)-1])
	}
	return result.JobsOf(list)
}
