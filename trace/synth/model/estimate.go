package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"replay/trace"
)

// An Estimate is a parameter as it follows from a trace, with its 95 % interval.
type Estimate struct {
	Name             string
	Value, Low, High float64
	Unknown          bool // nothing in the trace tells of it: there is no interval
}

// String is the value with its interval.
func (e Estimate) String() string {
	if e.Unknown {
		return fmt.Sprintf("%.4g (95 %%: not known)", e.Value)
	}
	return fmt.Sprintf("%.4g (95 %%: %.4g to %.4g)", e.Value, e.Low, e.High)
}

// Share is the estimate of a share of which k of n were seen, with the exact interval of Clopper and Pearson.
func Share(name string, k, n float64) Estimate {
	e := Estimate{Name: name, Value: k / n, High: 1}
	if k > 0 {
		e.Low = mathext.InvRegIncBeta(k, n-k+1, .025)
	}
	if k < n {
		e.High = mathext.InvRegIncBeta(k+1, n-k, .975)
	}
	return e
}

// about is an estimate with a standard error, not below 0.
func about(name string, v, se float64) Estimate {
	return Estimate{Name: name, Value: v, Low: max(0, v-2*se), High: v + 2*se}
}

const (
	courses       = 20     // that are drawn for the errors of arrivals
	mostOfThese   = 30_000 // arrivals of each
	courseMinutes = 10_000 // of each, where that is no less than LeastToFit
)

// LeastToFit is how many submissions there must be: fewer are taken as Poisson's.
const LeastToFit = 100

// EstimateArrivals fits the arrivals to submissions in ms, ascending from the start of the trace, by the moments of their counts in minutes at
// distances of 0, 1 and about 30 minutes within an hour, by the means of hours of the day and days of the week, and by how many more come within seconds of another one. The errors are those of
// the same estimates of courses drawn by the law that was fitted.
func EstimateArrivals(submit []int64, seed uint64) (a Arrivals, list []Estimate) {
	a = moments(submit)
	names := []string{"arrival.mean_gap_s", "arrival.hour_lnsd", "arrival.minute_var", "arrival.minute_phi", "arrival.follower_q", "arrival.follower_mean_s", "arrival.follower_more", "arrival.together_more"}
	values := func(a *Arrivals) []float64 {
		return []float64{a.MeanGapS, a.HourLnSD, a.MinuteVar, a.MinutePhi, a.FollowerQ, a.FollowerMeanS, a.FollowerMore, a.TogetherMore}
	}
	if len(submit) < LeastToFit {
		return a, []Estimate{about(names[0], a.MeanGapS, a.MeanGapS/math.Sqrt(float64(max(len(submit), 1))))}
	}
	independent := a
	independent.EvenHours = 0
	sum, square := make([]float64, len(names)), make([]float64, len(names))
	n := min(len(submit), mostOfThese, max(LeastToFit, int(courseMinutes*60/a.MeanGapS)))
	for c := range uint64(courses) {
		p := independent.Process(func(purpose string) *rand.Rand { return trace.Stream(seed+c, "fit/"+purpose) })
		times, err := p.Times(1, n, math.MaxInt64)
		if err != nil {
			continue
		}
		drawn := moments(times)
		for i, v := range values(&drawn) {
			sum[i] += v
			square[i] += float64(v * v)
		}
	}
	for i, v := range values(&a) {
		mean := sum[i] / courses
		se := math.Sqrt(max(0, square[i]/courses-float64(mean*mean))*courses/(courses-1)) * math.Sqrt(float64(n)/float64(len(submit)))
		most := math.Inf(1)
		if shares[names[i]] {
			most = 1
		}
		off := 2*se + math.Abs(mean-v)
		list = append(list, Estimate{Name: names[i], Value: v, Low: max(0, v-off), High: min(v+off, most), Unknown: off == 0})
	}
	return a, a.told(submit, list)
}

// shares are the parameters that are at most 1.
var shares = map[string]bool{"arrival.minute_phi": true, "arrival.follower_q": true, "arrival.follower_more": true}

// told corrects intervals where courses of the fitted law say nothing, as it lacks what they would tell of: of pairs that are no more than single followers make it is not known how
// many of these have followers, and the more do, the fewer submissions have a first one and the nearer it is; and of times that are shared by few, their share is 0 and that of those seen is an upper limit.
func (a *Arrivals) told(submit []int64, list []Estimate) []Estimate {
	for i := range list {
		e := &list[i]
		switch e.Name {
		case "arrival.together_more":
			n := len(submit)
			seen := Share(e.Name, float64(n-len(slices.Compact(slices.Clone(submit)))), float64(n))
			if seen.Value = e.Value; e.Value == 0 {
				seen.Low = 0
			}
			*e = seen
		case "arrival.minute_phi":
			e.Unknown = a.MinuteVar == 0
		case "arrival.follower_more":
			e.Unknown = a.FollowerMore == 0
		case "arrival.follower_q":
			if a.FollowerMore == 0 {
				e.Low = 0
			}
		case "arrival.follower_mean_s":
			if a.FollowerMore == 0 {
				e.Low = 0
			}
			e.Unknown = a.FollowerQ == 0
		}
	}
	return list
}

// leastTogether is the share of the submissions at the time of another one from which on these are taken to come together; below it is by chance.
const leastTogether = 0.1

// moments are the estimates without errors.
func moments(submit []int64) Arrivals {
	a := Arrivals{EvenHours: 1, Hours: Flat(24), Weekdays: Flat(7), MeanGapS: 1}
	n := len(submit)
	if n < 2 || submit[n-1] == 0 {
		return a
	}
	a.MeanGapS = float64(submit[n-1]) / 1000 / float64(n)
	if n < LeastToFit {
		return a
	}
	if times := slices.Compact(slices.Clone(submit)); float64(n-len(times)) > leastTogether*float64(n) {
		a.TogetherMore = 1 - float64(len(times))/float64(n)
		submit, n = times, len(times)
		if n < LeastToFit {
			return a
		}
	}
	pairs, seconds, level := shortGaps(submit)
	counts := make([]float64, submit[n-1]/minuteMS)
	if len(counts) < 2 {
		return a
	}
	rate := 0.0
	for _, at := range submit {
		if m := int(at / minuteMS); m < len(counts) {
			counts[m]++
			rate++
		}
	}
	rate /= float64(len(counts))
	within := func(k int) (mean float64) { // of products at a distance of k minutes within an hour, against the rate
		pairs := 0.0
		for i := 0; i+k < len(counts); i++ {
			if i/60 == (i+k)/60 {
				other := counts[i+k]
				if k == 0 {
					other--
				}
				mean, pairs = mean+float64(counts[i]*other), pairs+1
			}
		}
		if pairs == 0 {
			return rate * rate
		}
		return mean / pairs
	}
	far := 0.0
	for k := 20; k <= 40; k++ {
		far += within(k) / 21
	}
	var square float64 // mean of the profiles
	a.Hours, a.Weekdays, square = profiles(submit)
	hours := far / rate / rate / square
	a.HourLnSD = math.Sqrt(math.Log(max(1, hours)))
	same := 1 - float64(seconds/60*(1-math.Exp(-60/max(seconds, 1e-9))))
	minutes := (within(0)-float64(2*pairs*rate*same))/far - 1
	next := (within(1)-float64(pairs*rate*(1-same)))/far - 1
	if a.MinuteVar = max(0, minutes); a.MinuteVar > 0 {
		a.MinutePhi = min(max(0, next/a.MinuteVar), 0.95)
	}
	a.follow(submit, pairs, seconds, level)
	return a
}

// The least spans to which profiles of days and weeks are fitted, in hours.
const (
	leastForHours    = 7 * 24
	leastForWeekdays = 28 * 24
)

// profiles are those of the hours of a day and of the days of a week, counted from the start of the trace, and the mean square of both together against their mean. One is
// flat where the trace is too short, or its entries do not differ more than days, or weeks, do by chance.
func profiles(submit []int64) (hours, weekdays []float64, square float64) {
	hours, weekdays, square = Flat(24), Flat(7), 1
	counts := make([]float64, submit[len(submit)-1]/(60*minuteMS)/24*24) // of whole days
	for _, at := range submit {
		if h := int(at / (60 * minuteMS)); h < len(counts) {
			counts[h]++
		}
	}
	if len(counts) >= leastForHours {
		hours = profileOf(counts, 24)
	}
	if len(counts) >= leastForWeekdays {
		days := make([]float64, len(counts)/24)
		for h, n := range counts {
			days[h/24] += n
		}
		weekdays = profileOf(days, 7)
	}
	for _, list := range [][]float64{hours, weekdays} {
		mean := 0.0
		for _, v := range list {
			mean += v * v / float64(len(list))
		}
		square *= mean
	}
	return hours, weekdays, square
}

// profileOf is the mean of the counts that are a period apart, of mean 1; flat unless these means differ by more than twice their errors.
func profileOf(counts []float64, period int) []float64 {
	sum, squares, n, all := make([]float64, period), make([]float64, period), make([]float64, period), 0.0
	for i, v := range counts {
		k := i % period
		sum[k], squares[k], n[k], all = sum[k]+v, squares[k]+float64(v*v), n[k]+1, all+v/float64(len(counts))
	}
	if all == 0 {
		return Flat(period)
	}
	between, error := 0.0, 0.0
	list := make([]float64, period)
	for k := range list {
		mean := sum[k] / n[k]
		list[k] = mean / all
		between += float64((mean - all) * (mean - all))
		error += (squares[k]/n[k] - float64(mean*mean)) / max(n[k]-1, 1)
	}
	if between < 4*error {
		return Flat(period)
	}
	return list
}

// mostFollowing is the share of arrivals that can follow another one, where each has one follower at most.
const mostFollowing = 0.45

// follow sets how arrivals follow each other, by the pairs of them that are close together, their mean distance, and the rate of others around an arrival. Where
// there are more pairs than single followers make, followers have followers: a share f of the arrivals makes q m²/(1+q m) pairs an arrival, where m is the mean number of
// followers of an arrival that has some, q how many have some, and q m/(1+q m) = f; and the mean distance of pairs is m times that to the next one. What follows is
// what has another one close before it, beyond those that are there by chance.
func (a *Arrivals) follow(submit []int64, pairs, seconds, level float64) {
	if pairs <= mostFollowing {
		a.FollowerQ, a.FollowerMeanS = pairs/(1-pairs), seconds
		return
	}
	share, mean := 0.5, 1.0
	for range 50 {
		mean = max(1, pairs/share)
		near := max(4*seconds/mean, 0.001)
		chance := 1 - math.Exp(-near*level*(1-share))
		close := 0.0
		for i := 1; i < len(submit); i++ {
			if float64(submit[i]-submit[i-1]) < near*1000 {
				close++
			}
		}
		close /= float64(len(submit))
		next := min(max((close-chance)/max(1-math.Exp(-4)-chance, 0.01), 0.1), 0.98)
		if math.Abs(next-share) < 1e-4 {
			break
		}
		share = (share + next) / 2
	}
	a.FollowerQ = min(share/mean/(1-share), 1)
	a.FollowerMore, a.FollowerMeanS = min(1-1/mean, 0.999), seconds/mean
}

// shortGaps returns how many pairs an arrival has that are closer than by chance, and their mean distance in seconds; and how many others are there by chance within a
// second. The pairs of a law at distances of up to a minute are a line, as minutes and hours differ, and an exponential, as arrivals follow each other: of those with the least squares.
func shortGaps(submit []int64) (share, seconds, level float64) {
	var pairs, apart [60]float64 // by distance in s, and the sums of their distances
	for i := range submit {
		for k := i + 1; k < len(submit) && submit[k]-submit[i] < minuteMS; k++ {
			ms := submit[k] - submit[i]
			pairs[ms/1000]++
			apart[ms/1000] += float64(ms) / 1000
		}
	}
	least, arrivals := math.Inf(1), float64(len(submit))
	for mean := 0.1; mean < 15; mean *= 1.1 {
		part := func(u int) float64 { return math.Exp(-float64(u)/mean) - math.Exp(-float64(u+1)/mean) }
		line, slope, more, errors := lineAnd(pairs[:], part)
		if more <= 0 || errors >= least {
			continue
		}
		least, share, seconds, level = errors, more/arrivals, mean, max(line, 0)/arrivals
		if mean < 1 { // within the first seconds they say it themselves
			near, distance := 0.0, 0.0
			for u := range 5 {
				chance := line + float64(slope*float64(u))
				near, distance = near+pairs[u]-chance, distance+apart[u]-float64(chance*(float64(u)+.5))
			}
			if near > 0 && distance > 0 {
				seconds = min(distance/near, 1)
			}
		}
	}
	return share, seconds, level
}

// lineAnd fits values at 0, 1, … by a line and so many times a part, which is 0 far out.
func lineAnd(values []float64, part func(u int) float64) (line, slope, times, errors float64) {
	a, b := mat.NewDense(len(values), 3, nil), mat.NewVecDense(len(values), values)
	for u := range values {
		a.SetRow(u, []float64{1, float64(u), part(u)})
	}
	var x, off mat.VecDense
	if x.SolveVec(a, b) != nil {
		return 0, 0, 0, math.Inf(1)
	}
	off.MulVec(a, &x)
	off.SubVec(&off, b)
	return x.AtVec(0), x.AtVec(1), x.AtVec(2), mat.Dot(&off, &off)
}

// StageSample is the tasks of one stage, in ms.
type StageSample struct {
	Median float64
	Tasks  int
}

// DurationSample gathers the tasks of like stages.
type DurationSample struct {
	stages    []StageSample
	residuals []float64 // of the logarithms, of stages of 5 tasks or more
	over      float64   // sums of duration over median, and their number
	n         float64
	squares   [3]float64 // over the stages, of these two sums: over², over*n, n²
	of5       float64    // stages of 5 tasks or more
	most      float64
}

// Add takes a stage and returns the mean of its tasks.
func (s *DurationSample) Add(ms []int64) (mean float64) {
	sorted := slices.Sorted(slices.Values(ms))
	median := max(1, float64(sorted[len(sorted)/2]+sorted[(len(sorted)-1)/2])/2)
	if len(s.stages) < 1<<20 {
		s.stages = append(s.stages, StageSample{median, len(ms)})
	}
	s.most = max(s.most, float64(sorted[len(sorted)-1]))
	for _, v := range ms {
		mean += float64(v) / float64(len(ms))
	}
	if len(ms) < 5 {
		return mean
	}
	over, n := 0.0, 0.0
	for i, v := range ms {
		if i%max(1, len(ms)/200) == 0 && len(s.residuals) < 1<<21 {
			s.residuals = append(s.residuals, math.Log(max(1, float64(v))/median))
			over, n = over+float64(v)/median, n+1
		}
	}
	s.over, s.n, s.of5 = s.over+over, s.n+n, s.of5+1
	for i, v := range []float64{over * over, over * n, n * n} {
		s.squares[i] += v
	}
	return mean
}

// stragglers is the estimate of the share of stragglers, where tasks are low around their median. Its errors are those of the mean of the stages and of low, and what both
// are off because stages are short: of five tasks the median is one.
func (s *DurationSample) stragglers(name string, low float64, fitted Stragglers) Estimate {
	ratio := s.over / s.n
	se := math.Sqrt(max(0, s.squares[0]-float64(2*ratio*s.squares[1])+float64(ratio*ratio*s.squares[2]))) / s.n
	short := float64(1.2 * s.of5 / s.n * (float64(low*low) + float64(fitted.P*(fitted.mean()-1))))
	off := 2*se + float64(ratio*(short+float64(low*low)*2.4/math.Sqrt(s.n)))
	_, least := fitted.split(low, ratio-off)
	_, most := fitted.split(low, ratio+off)
	if most == mostStraggled {
		most = 1
	}
	return Estimate{Name: name + ".straggler_p", Value: fitted.P, Low: least, High: most}
}

// Estimate fits the law of the durations, of what is called name, and the share of stragglers that makes the mean right.
func (s *DurationSample) Estimate(name string) (d Durations, stragglers Stragglers, list []Estimate) {
	stragglers = Stragglers{Low: 1.5, Alpha: 1.6, Cap: 10}
	d.MostS = max(s.most/1000, 0.001)
	if n := len(s.residuals); n > 0 {
		slices.Sort(s.residuals)
		low := -s.residuals[int(lowShare*float64(n))]
		d.TaskLnSD, stragglers.P = stragglers.split(low, s.over/s.n)
		list = append(list, about(name+".task_lnsd", d.TaskLnSD, d.TaskLnSD*(1.2/math.Sqrt(float64(n))+stragglers.P/2)), s.stragglers(name, low, stragglers))
	}
	// Stragglers move the median of a stage up: of one or two tasks by their mean logarithm, of more by little.
	few := float64(stragglers.P * (math.Log(stragglers.Low) + (1-math.Pow(stragglers.Low/stragglers.Cap, stragglers.Alpha))/stragglers.Alpha))
	many := float64(stragglers.P * d.TaskLnSD * math.Sqrt(math.Pi/2))
	sum, square, within, n := 0.0, 0.0, 0.0, float64(len(s.stages))
	for _, x := range s.stages {
		m := math.Log(x.Median) - many
		if x.Tasks <= 2 {
			m = math.Log(x.Median) - few
		}
		sum, square = sum+m, square+float64(m*m)
		share := 1.0
		if x.Tasks > 2 {
			share = math.Pi / 2
		}
		within += share * d.TaskLnSD * d.TaskLnSD / float64(x.Tasks)
	}
	mean := sum / n
	total := max(0, square/n-float64(mean*mean))
	d.MedianS, d.StageLnSD = math.Exp(mean)/1000, math.Sqrt(max(0, total-within/n))
	list = append(list,
		Estimate{Name: name + ".median_s", Value: d.MedianS, Low: d.MedianS * math.Exp(-2*math.Sqrt(total/n)-few/2), High: d.MedianS * math.Exp(2*math.Sqrt(total/n)+few/2)}, // the share of stragglers is half known
		about(name+".stage_lnsd", d.StageLnSD, math.Sqrt(total/2/n)+float64(stragglers.P*d.StageLnSD)))
	return d, stragglers, list
}
