package compare

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/montanaflynn/stats"

	"replay/report/metric"
	"replay/report/quantity"
	"replay/report/result"
)

const (
	resamples = 2000 // of the bootstrap
	maxBlocks = 1000 // jobs beyond this many are resampled in blocks of consecutive ones
)

// bootstrapStream is the random stream of the resampling: the same for every comparison.
func bootstrapStream() *rand.Rand { return rand.New(rand.NewPCG(0x6a6f6273, 0x626f6f74)) }

// sample is one statistic over the jobs of one run, ready for resampling.
type sample struct {
	percent float64
	blocks  []int32   // of a ratio: those that have a part in it; of a percentile: the block of each value
	num     []float64 // of a ratio: by position in blocks
	den     []float64
	values  []float64 // of a percentile: in order
}

// equal reports whether two statistics are equal under all weights.
func (s *sample) equal(o *sample) bool {
	return s.percent == o.percent && slices.Equal(s.blocks, o.blocks) && slices.Equal(s.num, o.num) && slices.Equal(s.den, o.den) && slices.Equal(s.values, o.values)
}

// newSample prepares those jobs of one run that are kept; a job is in one of the blocks.
func newSample(p *metric.PerJob, jobs []result.Job, keep func(id int64) bool, block func(id int64) int, blocks int) *sample {
	s := &sample{percent: p.Percent}
	var num, den []float64
	if p.Percent == 0 {
		num, den = make([]float64, blocks), make([]float64, blocks)
	}
	type entry struct {
		v float64
		b int32
	}
	var entries []entry
	for i := range jobs {
		if !keep(jobs[i].ID) {
			continue
		}
		n, d, ok := p.Of(&jobs[i])
		if !ok {
			continue
		}
		b := block(jobs[i].ID)
		if p.Percent == 0 {
			num[b] += n
			den[b] += d
		} else {
			entries = append(entries, entry{n, int32(b)})
		}
	}
	for b := range num {
		if num[b] != 0 || den[b] != 0 {
			s.blocks, s.num, s.den = append(s.blocks, int32(b)), append(s.num, num[b]), append(s.den, den[b])
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.v, b.v) })
	for _, e := range entries {
		s.values = append(s.values, e.v)
		s.blocks = append(s.blocks, e.b)
	}
	return s
}

// at returns the statistic when block b counts weight[b] times; NaN when nothing is left.
func (s *sample) at(weight []float64) float64 {
	if s.percent == 0 {
		num, den := 0.0, 0.0
		for i, b := range s.blocks {
			w := weight[b]
			num += float64(w * s.num[i])
			den += float64(w * s.den[i])
		}
		return quantity.Over(num, den)
	}
	n := 0.0
	for _, b := range s.blocks {
		n += weight[b]
	}
	if n == 0 {
		return math.NaN()
	}
	h := s.percent / 100 * (n - 1)
	k := math.Floor(h)
	seen, low := 0.0, math.NaN()
	for i, b := range s.blocks {
		if weight[b] == 0 {
			continue
		}
		seen += weight[b]
		if math.IsNaN(low) && seen > k {
			low = s.values[i]
		}
		if seen > k+1 || seen >= n {
			return low + float64((h-k)*(s.values[i]-low))
		}
	}
	panic("report: weights ended before the percentile")
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// A pairing is a difference to resample: the samples of both variants, one for each seed, and how many jobs have a part in them.
type pairing struct {
	first, other []*sample
	jobs         int
}

// bootstrap resamples jobs for many paired differences at once and returns how much each varies with them; nil
// for a difference whose statistic does not exist in over 5 % of the resamples. A difference is the mean over seeds of
// other less that of first.
//
// Source: docs/metrics.md, "Comparisons", the jobs as a source of chance.
func bootstrap(pairs []pairing, blocks int) []*Source {
	out := make([]*Source, len(pairs))
	draws := make([][]float64, len(pairs))
	var open []int // differences that are not 0 whatever is drawn
	for i, p := range pairs {
		if slices.EqualFunc(p.first, p.other, (*sample).equal) {
			if !math.IsNaN(p.first[0].at(ones(blocks))) {
				out[i] = &Source{0, p.jobs}
			}
			continue
		}
		draws[i] = make([]float64, 0, resamples)
		open = append(open, i)
	}
	rng := bootstrapStream()
	weight := make([]float64, blocks)
	for range resamples {
		clear(weight)
		for range blocks {
			weight[rng.IntN(blocks)]++
		}
		for _, i := range open {
			d := 0.0
			for k, first := range pairs[i].first {
				d += pairs[i].other[k].at(weight) - first.at(weight)
			}
			if d /= float64(len(pairs[i].first)); !math.IsNaN(d) {
				draws[i] = append(draws[i], d)
			}
		}
	}
	for _, i := range open {
		ds := draws[i]
		if len(ds) < resamples*95/100 {
			continue
		}
		se, err := stats.StandardDeviationSample(ds)
		if err != nil {
			panic(err) // there are many
		}
		out[i] = &Source{se, pairs[i].jobs}
	}
	return out
}
