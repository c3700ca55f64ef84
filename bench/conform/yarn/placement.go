package yarn

import (
	"encoding/json"
	"errors"
	"fmt"

	"replay/bench/conform/golden"
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fair"
	"replay/engine/yarn/jvm"
)

// allocFile are allocation files: refused, or the queues and limits that they give, before and
// after applications were added.
var allocFile = golden.Kind{
	Name:  "yarn allocation file",
	Of:    golden.AnswersOf("AllocationFileLoaderService, QueueManager"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "alloc_file" },
	Run:   golden.Cases(runAllocFile),
}

// placement are submissions through the placement rules of an allocation file.
var placement = golden.Kind{
	Name:  "yarn placement rules",
	Of:    golden.AnswersOf("PlacementManager, QueuePlacementPolicy"),
	Match: func(_ string, first golden.Shape) bool { return first.Text("kind") == "placement" },
	Run:   golden.Cases(runPlacement),
}

type fairCase struct {
	ID   int
	Site map[string]json.RawMessage
	XML  string
	Err  exceptions

	// alloc_file
	Then        []string
	Queues      json.RawMessage
	UserMaxApps map[string]int32 `json:"user_max_apps"`
	ThenRes     json.RawMessage  `json:"then_res"`
	ThenQueues  json.RawMessage  `json:"then_queues"`

	// placement
	Groups map[string][]string
	Apps   [][2]string
	Res    json.RawMessage
	Tree   []string
}

// start loads the file of a case into a FairScheduler. The scheduler is nil when the case is
// already decided: the file is refused, by YARN or by us.
func (c *fairCase) start(out *golden.Results) (*fair.Scheduler, *conf.Allocations, *conf.Site) {
	site, err := conf.NewSite(golden.Properties(c.Site))
	if err == nil {
		err = site.CheckFair()
	}
	thrown := exceptionsOf(err)
	var alloc *conf.Allocations
	var f *fair.Scheduler
	if err == nil {
		if alloc, err = conf.ParseAllocations([]byte(c.XML), site); err == nil {
			f, err = fair.New(site, alloc, protocol.NewNames(), timestampOfRuns, nil)
		}
		thrown = exceptionsOf(err).in("IOException", "Failed to initialize FairScheduler")
	}
	if c.Err == nil && err == nil {
		return f, alloc, site
	}
	if got := thrown.ofService(); !got.equal(c.Err) {
		out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: -1, Expected: c.Err, Got: got, State: c.XML})
		return nil, nil, nil
	}
	out.AddEqual()
	return nil, nil, nil
}

// settingsOf are the queues of a scheduler as the vectors write them.
func settingsOf(f *fair.Scheduler, types int) []any {
	rows := (&fairRun{schedulerRun: &schedulerRun{Cluster: golden.NewCluster(types)}, f: f}).settings()
	for _, row := range rows {
		fields := row.(map[string]any)
		for _, name := range []string{"weight", "fs_threshold", "max_am_share"} {
			// JSON has no numbers for infinity and NaN; the vectors write them as texts.
			if v, ok := fields[name].(float32); ok && v-v != 0 {
				fields[name] = conf.JavaFloat(v)
			}
		}
	}
	return rows
}

func runAllocFile(c *fairCase, out *golden.Results) {
	f, alloc, site := c.start(out)
	if f == nil {
		return
	}
	differ := func(event int, want json.RawMessage, got []any) bool {
		w, ok := decodeAny(want).([]any)
		if ok && same(w, got) {
			return false
		}
		d := golden.Difference{Case: fmt.Sprint(c.ID), Event: event, Expected: w, Got: got, State: c.XML}
		for i := range min(len(w), len(got)) {
			if !same(w[i], got[i]) {
				d.Expected, d.Got = w[i], got[i]
				break
			}
		}
		out.AddDifferent(d)
		return true
	}
	if differ(-1, c.Queues, settingsOf(f, len(site.Types))) {
		return
	}
	for user, want := range c.UserMaxApps {
		if got := alloc.UserLimit(user); got != want {
			out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: -1, Expected: want, Got: got, State: "user " + user})
			return
		}
	}
	res := []any{}
	for i, queue := range c.Then {
		_, answer := admitted(f, protocol.AppID(i+1), "u1", queue)
		res = append(res, answer)
	}
	if differ(0, c.ThenRes, res) {
		return
	}
	if c.ThenQueues != nil && differ(1, c.ThenQueues, settingsOf(f, len(site.Types))) {
		return
	}
	out.AddEqual()
}

// admitted adds an application and returns what became of it: in, reject or fail, and where or why.
func admitted(f *fair.Scheduler, id protocol.AppID, user, queue string) (key string, answer any) {
	in := conf.WithRoot(f.RunsIn(queue))
	err := f.AddApp(yarn.AppSpec{ID: id, User: user, Queue: queue})
	var rejected *yarn.Rejection
	switch {
	case err == nil:
		return "in", in
	case errors.As(err, &rejected):
		return "reject", rejected.Text
	}
	return "fail", exceptionsOf(err).rows()
}

func runPlacement(c *fairCase, out *golden.Results) {
	f, alloc, site := c.start(out)
	if f == nil {
		return
	}
	rules := alloc.Rules
	if rules == nil {
		rules = conf.DefaultRules(site.AllowUndeclaredPools, site.UserAsDefaultQueue)
	}
	res := []any{}
	for i, app := range c.Apps {
		s := &conf.Submission{
			AppID: jvm.AppName(timestampOfRuns, int32(i+1)), User: app[0], Groups: c.Groups[app[0]], Queue: app[1],
		}
		placed, err := rules.Place(s, f.QueueInfo)
		if err != nil {
			res = append(res, map[string]any{"err": exceptionsOf(err).rows()})
			continue
		}
		row := map[string]any{"place": nil, "queue": placed.Submitted}
		if placed.Placed {
			row["place"] = placed.Queue
			key, answer := admitted(f, protocol.AppID(i+1), app[0], placed.Submitted)
			row[key] = answer
		} else {
			row["reject"] = conf.RejectedByRules(s)
		}
		res = append(res, row)
	}
	if want := decodeAny(c.Res); !same(want, res) {
		out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Expected: want, Got: res, State: c.XML})
		return
	}
	var tree []string
	f.Queues(func(q *yarn.QueueState) { tree = append(tree, q.Path) })
	if fmt.Sprint(tree) != fmt.Sprint(c.Tree) {
		out.AddDifferent(golden.Difference{Case: fmt.Sprint(c.ID), Event: len(c.Apps), Expected: c.Tree, Got: tree, State: c.XML})
		return
	}
	out.AddEqual()
}
