package result

import (
	"slices"

	"replay/engine/record"
	"replay/report/dist"
)

// jobSums are what the containers and task attempts of a job add up to.
type jobSums struct {
	job                          *Job // its record, nil before it came
	askMS, asks, taskMS, ready   int64
	containers, preferring, host int64
	rack, hinting, hinted        int64
	tasks                        int64
	levels                       [5]int64
	tasksPreferring              int64
	queue                        string // that the job's containers are in
	ask                          *dist.Dist
}

// job returns the sums of a job.
func (c *Collector) job(id int64) *jobSums {
	if c.last != nil && c.lastID == id {
		return c.last
	}
	s := c.sums[id]
	if s == nil {
		if n := len(c.spareSums); n > 0 {
			s, c.spareSums = c.spareSums[n-1], c.spareSums[:n-1]
		} else {
			s = &jobSums{}
		}
		c.sums[id] = s
		if c.closed.has(id) && len(c.late) < mostWrong {
			c.late = append(c.late, id)
		}
	}
	c.last, c.lastID = s, id
	return s
}

// close lets the sums of a job go when they agree with its record, which then has them: they may be another job's next.
func (c *Collector) close(id int64, s *jobSums) {
	j := s.job
	if j == nil {
		return
	}
	if s.containers != j.Containers || s.tasks != j.Attempts && !c.tasksOff {
		return // more will come
	}
	for _, p := range c.pairs(j, s) {
		if p.got != p.want {
			return
		}
	}
	j.take(s)
	c.done.add(j)
	c.spare = append(c.spare, j)
	delete(c.sums, id)
	*s = jobSums{}
	c.spareSums = append(c.spareSums, s)
	c.last = nil
	c.closed.add(id)
}

// take keeps the sums that the job's record does not have.
func (j *Job) take(s *jobSums) {
	j.AskMS, j.Asks, j.TaskWaitMS, j.TaskWaits = s.askMS, s.asks, s.taskMS, s.ready
}

// A pair is a count of a job's record with what its containers or task attempts say.
type pair struct {
	what      string
	got, want int64
}

// pairs returns what a job's record and its sums both count.
func (c *Collector) pairs(j *Job, s *jobSums) []pair {
	pairs := append(c.paired[:0],
		pair{"containers", j.Containers, s.containers},
		pair{"containers with a preference", j.ContainersPreferring, s.preferring},
		pair{"containers on a preferred host", j.ContainersPreferred, s.host},
		pair{"containers on the rack of one", j.ContainersRackPreferred, s.rack},
		pair{"containers while tasks preferred hosts", j.ContainersHinting, s.hinting},
		pair{"containers on such a host", j.ContainersHinted, s.hinted},
	)
	if !c.tasksOff {
		pairs = append(pairs, pair{"task attempts", j.Attempts, s.tasks}, pair{"tasks with a preference", j.TasksPreferring, s.tasksPreferring})
		for l, n := range j.TaskLevels {
			pairs = append(pairs, pair{levelPairs[l], n, s.levels[l]})
		}
	}
	c.paired = pairs
	return pairs
}

var levelPairs = func() (names [record.AnyLevel + 1]string) {
	for l := range names {
		names[l] = "tasks at " + record.TaskLevel(l).String()
	}
	return names
}()

// A tally counts things by name, of which there are few.
type tally struct {
	names []string
	n     []int64
}

// of returns the place of a name.
func (t *tally) of(name string) int {
	i := slices.Index(t.names, name)
	if i < 0 {
		i = len(t.names)
		t.names, t.n = append(t.names, name), append(t.n, 0)
	}
	return i
}

// An idSet is a set of numbers of jobs, which mostly follow each other.
type idSet map[int64]*[64]uint64

func (s idSet) has(id int64) bool {
	page := s[id>>12]
	return page != nil && page[id>>6&63]&(1<<(id&63)) != 0
}

func (s idSet) add(id int64) {
	page := s[id>>12]
	if page == nil {
		page = new([64]uint64)
		s[id>>12] = page
	}
	page[id>>6&63] |= 1 << (id & 63)
}
