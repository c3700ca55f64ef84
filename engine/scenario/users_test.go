package scenario

import (
	"strings"
	"testing"

	"replay/trace"
)

// Where all jobs are of one user, limits of users that were handed in are said to hold them back together; where there are several users, or the limits came with the trace, nothing is.
func TestLimitsOfOneUser(t *testing.T) {
	const c = "yarn.scheduler.capacity.root."
	bounded := File{Name: "c.xml", Text: site(c+"queues", "a,b,none", c+"a.capacity", "40", c+"b.capacity", "40", c+"none.capacity", "20", c+"b.user-limit-factor", "2.5")}
	free := File{Name: "c.xml", Text: site(c+"queues", "a,b", c+"a.capacity", "40", c+"b.capacity", "60", c+"user-limit-factor", "-1", c+"a.user-limit-factor", "-1", c+"b.user-limit-factor", "-1")}
	apps := File{Name: "f.xml", Text: []byte(`<allocations><userMaxAppsDefault>5</userMaxAppsDefault><queue name="a"/></allocations>`)}
	ofUser := File{Name: "f.xml", Text: []byte(`<allocations><user name="ann"><maxRunningApps>2</maxRunningApps></user><queue name="a"/></allocations>`)}
	in := func(jobs int64, users ...string) Input {
		in := Input{NumJobs: jobs, Queues: []trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.a"), bare(2, 0, "root.b")}}
		for i, name := range users {
			in.Users = append(in.Users, trace.User{ID: int32(i), Name: name})
		}
		return in
	}
	attached := in(3, "ann")
	attached.Files = Files{"capacity-scheduler.xml": bounded}
	const capacity, fair = "capacity-scheduler.xml", "fair-scheduler.xml"
	const together = `: all 3 jobs of the trace are of one user, "ann", so limits of a user hold back all of them together: `
	for _, tt := range []struct {
		name string
		in   Input
		o    Options
		want string
	}{
		{"a factor", in(3, "ann"), Options{Scheduler: "capacity", Files: Files{capacity: bounded}}, "c.xml" + together + "user-limit-factor 1 of root.a (40 % of the cluster, and 100 % for the queue); if they are of many"},
		{"no factor", in(3, "ann"), Options{Scheduler: "capacity", Files: Files{capacity: free}}, ""},
		{"two users", in(3, "ann", "bob"), Options{Scheduler: "capacity", Files: Files{capacity: bounded}}, ""},
		{"one job", in(1, "ann"), Options{Scheduler: "capacity", Files: Files{capacity: bounded}}, ""},
		{"the trace's own file", attached, Options{Scheduler: "capacity"}, ""},
		{"running applications", in(3, "ann"), Options{Scheduler: "fair", Files: Files{fair: apps}}, "f.xml" + together + "5 running applications of a user; if they are of many"},
		{"of this user", in(3, "ann"), Options{Scheduler: "fair", Files: Files{fair: ofUser}}, "f.xml" + together + "2 running applications of a user;"},
		{"of another user", in(3, "bob"), Options{Scheduler: "fair", Files: Files{fair: ofUser}}, ""},
	} {
		got := ""
		for _, w := range resolve(t, tt.in, tt.o).Warnings {
			if w.Code == "one-user" {
				got += w.Text
			}
		}
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: warned %q, want %q", tt.name, got, tt.want)
		}
	}
}
