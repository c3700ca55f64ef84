package verify

import (
	"encoding/binary"
	"slices"

	"replay/spill"
)

// What a record of a group is: the first number in it.
const (
	ofContainer = iota
	ofTask
)

// Texts of columns as numbers, their places here; another text is -1.
var (
	matches = []string{"host", "rack", "elsewhere"}
	levels  = []string{"PROCESS_LOCAL", "NODE_LOCAL", "NO_PREF", "RACK_LOCAL", "ANY"}
)

// key is a number as the key of a group.
func key(number int64) []byte { return binary.AppendVarint(nil, number) }

// flags are truths in one number.
func flags(truths ...bool) (n int64) {
	for i, t := range truths {
		if t {
			n |= 1 << i
		}
	}
	return n
}

// container is what is kept of a row of containers.parquet while its job is looked at, and what its task attempts add up to.
type container struct {
	row, attempt, number         int64
	node, match                  int64
	am, hinting, hinted          bool
	asked, allocated, registered int64
	ended, exited                int64 // none without one
	mem, vcores, cores           int64
	tasks, busyMS                int64 // its columns
	launched, late, ranMS        int64 // of task attempts: all, those launched in the millisecond in which the process had gone, their core time
}

func (r *containerRow) pack(p *spill.Packer, row int64) {
	for _, n := range []int64{
		ofContainer, row, r.AMAttempt, r.Number, int64(r.Node), int64(slices.Index(matches, r.Match)), flags(r.AM, r.Hinting, r.Hinted),
		or(r.Asked), or(r.Allocated), or(r.Registered), or(r.Ended), or(r.Exited), r.MemMiB, r.VCores, r.Cores, r.Tasks, r.BusyMS,
	} {
		p.Int(n)
	}
}

func (c *container) unpack(u spill.Unpacker) {
	*c = container{row: u.Int(), attempt: u.Int(), number: u.Int(), node: u.Int(), match: u.Int()}
	set := u.Int()
	c.am, c.hinting, c.hinted = set&1 != 0, set&2 != 0, set&4 != 0
	for _, n := range []*int64{&c.asked, &c.allocated, &c.registered, &c.ended, &c.exited, &c.mem, &c.vcores, &c.cores, &c.tasks, &c.busyMS} {
		*n = u.Int()
	}
}

// heldUntil is the time up to which a container is held, of a replay that ends at end.
func heldUntil(ended, allocated, end int64) int64 {
	if ended == none {
		return max(end, allocated)
	}
	return ended
}

// task is what is kept of a task attempt while its job is looked at.
type task struct {
	row, attempt          int64 // attempt of the application
	container             int64 // its number
	node                  int64
	ready, launch         int64
	freed, finish         int64 // none without one
	place                 int32 // of its container among those of the job
	stage, stageAttempt   int32
	index, taskAttempt    int32
	cores                 int32
	level                 int64
	success, running      bool
	preferring, preferred bool
}

func (r *taskRow) pack(p *spill.Packer, row int64) {
	for _, n := range []int64{
		ofTask, row, r.AMAttempt, r.Container, int64(r.Node), r.Ready, r.Launch, or(r.Freed), or(r.Finish),
		int64(r.Stage), int64(r.StageAttempt), int64(r.Index), int64(r.Attempt), int64(r.Cores), int64(slices.Index(levels, r.Level)),
		flags(r.End == "success", r.End == "running", r.Preferring, r.Preferred),
	} {
		p.Int(n)
	}
}

func (t *task) unpack(u spill.Unpacker) {
	*t = task{
		row: u.Int(), attempt: u.Int(), container: u.Int(), node: u.Int(), ready: u.Int(), launch: u.Int(), freed: u.Int(), finish: u.Int(),
		stage: int32(u.Int()), stageAttempt: int32(u.Int()), index: int32(u.Int()), taskAttempt: int32(u.Int()), cores: int32(u.Int()), level: u.Int(),
	}
	set := u.Int()
	t.success, t.running, t.preferring, t.preferred = set&1 != 0, set&2 != 0, set&4 != 0, set&8 != 0
}

// onNode is what is kept of a container while its node is looked at.
type onNode struct{ row, allocated, ended, until, mem, vcores int64 }

func (c *onNode) pack(p *spill.Packer) {
	for _, n := range []int64{c.row, c.allocated, c.ended, c.until, c.mem, c.vcores} {
		p.Int(n)
	}
}

func (c *onNode) unpack(u spill.Unpacker) {
	*c = onNode{row: u.Int(), allocated: u.Int(), ended: u.Int(), until: u.Int(), mem: u.Int(), vcores: u.Int()}
}
