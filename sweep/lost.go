package sweep

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"replay/report/metric"
)

// Jobs are the numbers of some jobs of a trace: single ones and ranges in order, such as "0-4,7"; of more than mostJobs bytes their digest, which is
// equal only to that of the same jobs.
type Jobs string

const (
	mostJobs = 64 << 10
	digested = "sha256:"
)

// jobsOf writes rising numbers.
func jobsOf(ids []int64) Jobs {
	var ranges [][2]int64
	for _, id := range ids {
		if n := len(ranges); n > 0 && ranges[n-1][1] == id-1 {
			ranges[n-1][1] = id
		} else {
			ranges = append(ranges, [2]int64{id, id})
		}
	}
	return jobsIn(ranges)
}

// jobsIn writes ranges in order, between which there are gaps.
func jobsIn(ranges [][2]int64) Jobs {
	var b strings.Builder
	for i, r := range ranges {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(r[0], 10))
		if r[1] > r[0] {
			b.WriteString("-" + strconv.FormatInt(r[1], 10))
		}
	}
	if b.Len() > mostJobs {
		return Jobs(fmt.Sprintf("%s%x", digested, sha256.Sum256([]byte(b.String()))))
	}
	return Jobs(b.String())
}

// ranges reads what jobsOf wrote; false of what is not known by its numbers.
func (j Jobs) ranges() (out [][2]int64, ok bool) {
	if j == "" {
		return nil, true
	}
	for part := range strings.SplitSeq(string(j), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		from, err := strconv.ParseInt(first, 10, 64)
		to, err2 := strconv.ParseInt(last, 10, 64)
		if err != nil || err2 != nil {
			return nil, false
		}
		out = append(out, [2]int64{from, to})
	}
	return out, true
}

// both are the jobs that are in j and in other; none where they differ and either is not known by its numbers.
func (j Jobs) both(other Jobs) Jobs {
	if j == other {
		return j
	}
	a, known := j.ranges()
	b, knownToo := other.ranges()
	if !known || !knownToo {
		return ""
	}
	var shared [][2]int64
	for i, k := 0, 0; i < len(a) && k < len(b); {
		if from, to := max(a[i][0], b[k][0]), min(a[i][1], b[k][1]); from <= to {
			shared = append(shared, [2]int64{from, to})
		}
		if a[i][1] < b[k][1] {
			i++
		} else {
			k++
		}
	}
	return jobsIn(shared)
}

// Loses reports whether a job is lost that is not among the jobs of other, of the same trace: as many lost jobs may be others.
func (o *Outcome) Loses(other *Outcome) bool {
	return o.Unexpected > other.Unexpected || o.Lost != o.Lost.both(other.Lost)
}

// outcomeOf counts the jobs of a replay and names those that are lost.
func outcomeOf(s *metric.Summary) Outcome {
	o := s.Outcome()
	out := Outcome{Jobs: o.Jobs, Succeeded: o.Succeeded, Unexpected: o.Unexpected}
	if o.Unexpected == 0 {
		return out
	}
	var ids []int64
	for j := range s.Jobs.All() {
		if metric.Unexpected(j, s.Manifest.Until > 0) {
			ids = append(ids, j.ID)
		}
	}
	out.Lost = jobsOf(ids)
	return out
}
