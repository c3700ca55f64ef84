package scenario

import (
	"strings"
	"testing"

	"replay/trace"
)

// A queue is found by its path or by the last parts of it, among those that the scheduler has or its rules make; what is not there is an error.
func TestQueuesOfChanges(t *testing.T) {
	nested := []trace.Queue{bare(0, trace.Unset, "root"), bare(1, 0, "root.prod"), bare(2, 1, "root.prod.etl"), bare(3, 0, "root.dev"), bare(4, 3, "root.dev.etl"), bare(5, 3, "root.dev.ml")}
	in := Input{Queues: nested, Users: []trace.User{{Name: "ann"}, {ID: 1, Name: "b.ob"}}}
	byUser := Files{"fair-scheduler.xml": {Text: []byte(`<allocations><queue name="etl"/><queuePlacementPolicy><rule name="user"/></queuePlacementPolicy></allocations>`)}}
	for _, tt := range []struct {
		change, scheduler string
		files             Files
		queue, want       string
	}{
		{"queue root.dev.ml weight 3", "fair", nil, "root.dev.ml", ""},
		{"queue ml weight 3", "fair", nil, "root.dev.ml", ""},
		{"queue dev.etl weight 3", "fair", nil, "root.dev.etl", ""},
		{"queue dev without limits", "fair", nil, "root.dev", ""},
		{"queue root without limits", "fair", nil, "root", ""},
		{"queue etl weight 3", "fair", nil, "", `2 queues end in etl, want one of root.dev.etl, root.prod.etl`},
		{"queue ML weight 3", "fair", nil, "", `no queue is called "ML", near it: root.dev.ml,`},
		{"queue ev weight 3", "fair", nil, "", `no queue is called "ev", near it: root.dev,`},
		{"queue ann weight 3", "fair", byUser, "root.ann", ""},
		{"queue root.b_dot_ob weight 3", "fair", byUser, "root.b_dot_ob", ""},
		{"queue ml weight 3", "fair", byUser, "", `no queue is called "ml", near it: `}, // the trace has it, and the rules use it for nobody
		{"user ann without limits", "fair", nil, "", ""},
		{"user an without limits", "fair", nil, "", `no user is called "an", near it: ann`},
		{"queue ml without limits", "capacity", nil, "root.dev.ml", ""},
		{"queue ml weight 2", "capacity", nil, "", `--conf yarn.scheduler.capacity.root.dev.ml.capacity=… says a share`},
		{"queue nosuch without limits", "capacity", nil, "", `no queue is called "nosuch", near it: `},
		{"queue ml without limits", "fifo", nil, "", "the FifoScheduler has one queue, root.default, and limits neither it nor users"},
		{"user ann without limits", "fifo", nil, "", "the FifoScheduler has one queue"},
	} {
		t.Run(tt.scheduler+" "+tt.change, func(t *testing.T) {
			c, err := ParseChange(tt.change)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Scheduler: tt.scheduler, Files: tt.files, Changes: []Change{c}}
			sc, err := New(in, o)
			switch {
			case tt.want != "":
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
			case err != nil:
				t.Error(err)
			case sc.Changes[0].queue != tt.queue || o.Changes[0].queue != c.queue:
				t.Errorf("queue %q, want %q, and %q in the options", sc.Changes[0].queue, tt.queue, o.Changes[0].queue)
			}
		})
	}
	ideal := resolve(t, in, Options{Scheduler: "ideal", Changes: []Change{{Text: "queue x weight 3", queue: "x", weight: 3, without: -1, job: -1}}})
	if len(ideal.Warnings) != 1 || !strings.Contains(ideal.Warnings[0].Text, `--change "queue x weight 3"`) {
		t.Errorf("ideal: %v, want that the change has no effect", ideal.Warnings)
	}
	c, err := ParseChange("user ann without limits")
	if err != nil {
		t.Fatal(err)
	}
	if text := remarksOf(t, resolve(t, in, Options{Scheduler: "capacity", Changes: []Change{c}})); !strings.Contains(text, "how much of a queue a user may have is a limit of the queue") {
		t.Errorf("what stays of the limits of a user is not said: %s", text)
	}
}
