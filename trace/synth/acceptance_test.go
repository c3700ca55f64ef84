package synth

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"replay/trace"
)

// figures are what a day of a preset is compared by, with their names.
type figures struct {
	names  []string
	values map[string]float64
}

func (f *figures) set(name string, v float64) {
	if f.values == nil {
		f.values = map[string]float64{}
	}
	if _, ok := f.values[name]; !ok {
		f.names = append(f.names, name)
	}
	f.values[name] += v
}

// quantileOf is that of a sorted list, by the nearest rank.
func quantileOf(sorted []int64, p float64) float64 {
	return float64(sorted[min(int(p*float64(len(sorted))), len(sorted)-1)])
}

// dispersion is the variance of the arrivals in spans of ms against their mean.
func dispersion(submit []int64, ms int64) (index, lag float64) {
	counts := make([]float64, dayLength/ms)
	for _, at := range submit {
		counts[at/ms]++
	}
	mean, square, with := float64(len(submit))/float64(len(counts)), 0.0, 0.0
	for i, n := range counts {
		square += (n - mean) * (n - mean)
		if i > 0 {
			with += (n - mean) * (counts[i-1] - mean)
		}
	}
	return square / float64(len(counts)-1) / mean, with / square
}

const dayLength = 86_400_000

// arrivalFigures are those of section "arrivals" of a day: counts, gaps in whole seconds as the real days have them, dispersion.
func arrivalFigures(f *figures, submit []int64) {
	var gaps []int64
	zero, sum, square := 0.0, 0.0, 0.0
	for i := 1; i < len(submit); i++ {
		gap := submit[i]/1000 - submit[i-1]/1000
		gaps = append(gaps, gap)
		if gap == 0 {
			zero++
		}
		ms := float64(submit[i]-submit[i-1]) / 1000
		sum, square = sum+ms, square+ms*ms
	}
	slices.Sort(gaps)
	n := float64(len(gaps))
	f.set("jobs", float64(len(submit)))
	f.set("gap CV", math.Sqrt(square/n-sum/n*sum/n)/(sum/n))
	f.set("zero gaps", zero/n)
	f.set("gap p95 s", quantileOf(gaps, .95))
	f.set("gap p99 s", quantileOf(gaps, .99))
	for _, s := range []struct {
		name string
		ms   int64
	}{{"10 s", 10_000}, {"60 s", 60_000}, {"300 s", 300_000}, {"1 h", 3_600_000}} {
		index, lag := dispersion(submit, s.ms)
		f.set("dispersion "+s.name, index)
		if s.ms == 60_000 {
			f.set("minute lag-1", lag)
		}
	}
}

// mapFigures are the maps of a job at 128 MiB.
func mapFigures(f *figures, maps []int64) {
	slices.Sort(maps)
	sum, top := 0.0, 0.0
	for i, n := range maps {
		sum += float64(n)
		if i >= len(maps)-len(maps)/100 {
			top += float64(n)
		}
	}
	for _, p := range []float64{.5, .7, .75, .8, .9, .95, .99, .999} {
		f.set(fmt.Sprintf("maps p%v", p*100), quantileOf(maps, p))
	}
	f.set("maps mean", sum/float64(len(maps)))
	f.set("maps top 1 %", top/sum)
}

// fileFigures are how often files are read.
func fileFigures(f *figures, file []int32) {
	reads := map[int32]int64{}
	all := 0.0
	for _, id := range file {
		if id != trace.Unset {
			reads[id]++
			all++
		}
	}
	var counts []int64
	once := 0.0
	for _, n := range reads {
		counts = append(counts, n)
		if n == 1 {
			once++
		}
	}
	slices.SortFunc(counts, func(a, b int64) int { return int(b - a) })
	top, x, y, xx, xy, n := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i, c := range counts {
		if i < len(counts)/10 {
			top += float64(c)
		}
		if i < 1000 {
			lx, ly := math.Log(float64(i+1)), math.Log(float64(c))
			x, y, xx, xy, n = x+lx, y+ly, xx+lx*lx, xy+lx*ly, n+1
		}
	}
	f.set("files a read", float64(len(counts))/all)
	f.set("files read once", once/float64(len(counts)))
	f.set("hottest file", float64(counts[0])/all)
	f.set("top tenth's reads", top/all)
	f.set("rank slope 1-1000", (xy-x*y/n)/(xx-x*x/n))
}

// dayOf adds the figures of a day of a preset.
func dayOf(t *testing.T, f *figures, p *Preset, seed uint64) {
	t.Helper()
	o, err := p.with(Options{Seed: seed, SpanMS: dayLength, Set: []string{"jobs.split_mib=128"}})
	if err != nil {
		t.Fatal(err)
	}
	g := &Generator{Options: o, preset: p}
	if _, _, err := g.meta(); err != nil {
		t.Fatal(err)
	}
	come, err := g.submissions(t.Context(), trace.Size{})
	if err != nil {
		t.Fatal(err)
	}
	arrivalFigures(f, come.ms)
	jobs := g.work.Jobs.(*mapReduce)
	var maps []int64
	for _, id := range come.ids {
		input, _ := jobs.sizeOf(g, id)
		maps = append(maps, max(1, (input+jobs.SplitMiB*mib-1)/(jobs.SplitMiB*mib)))
	}
	mapFigures(f, maps)
	jobs.Plan(g, come.ids)
	fileFigures(f, jobs.file)
}

// The days of facebook-2009 and facebook-2010 are those that the models were published with: the mean over 12 seeds of each figure is
// within its tolerance of the model's. -v prints the table, with the real days.
func TestFacebookDays(t *testing.T) {
	type row struct {
		name             string
		real, want, part float64 // part of the wanted value by which it may differ; 0 = shown only
	}
	for _, tt := range []struct {
		preset *Preset
		rows   []row
	}{
		{&facebook2009, []row{
			{"jobs", 5894, 6001, .1}, {"gap CV", 1.68, 1.58, .1}, {"zero gaps", .04, .06, .1}, {"gap p95 s", 49, 53, .1}, {"gap p99 s", 99, 111, .1},
			{"dispersion 10 s", 1.5, 1.5, .1}, {"dispersion 60 s", 3.7, 3.7, .1}, {"dispersion 300 s", 12, 11, .1}, {"dispersion 1 h", 88, 74, .25}, {"minute lag-1", .62, .54, .1},
			{"maps p50", 1, 1, .01}, {"maps p70", 1, 1, .01}, {"maps p75", 1, 1, .01}, {"maps p80", 1, 1, .01}, {"maps p90", 5, 5, .25},
			{"maps p95", 57, 39, .15}, {"maps p99", 599, 603, .15}, {"maps p99.9", 3671, 7755, .3}, {"maps mean", 35, 46, .2}, {"maps top 1 %", .68, .68, 0},
		}},
		{&facebook2010, []row{
			{"jobs", 24_442, 24_564, .1}, {"gap CV", 1.43, 1.47, .1}, {"zero gaps", .20, .19, .1}, {"gap p95 s", 12, 12.7, .1}, {"gap p99 s", 24, 24.8, .1},
			{"dispersion 10 s", 2.8, 2.2, .1}, {"dispersion 60 s", 7.4, 6.9, .1}, {"dispersion 300 s", 21, 19, .1}, {"dispersion 1 h", 201, 157, .25}, {"minute lag-1", .54, .50, .1},
			{"maps p50", 1, 1, .01}, {"maps p70", 5, 5, 0}, {"maps p75", 17, 17, 0}, {"maps p80", 24, 24, 0}, {"maps p90", 226, 182, .15},
			{"maps p95", 1043, 806, .15}, {"maps p99", 7953, 8412, .15}, {"maps p99.9", 32_582, 81_710, .3}, {"maps mean", 343, 427, .2}, {"maps top 1 %", .57, .57, 0},
			{"files a read", .675, .675, .05}, {"files read once", .92, .92, .05}, {"hottest file", .028, .028, 0}, {"top tenth's reads", .39, .39, .2}, {"rank slope 1-1000", -.90, -.90, .15},
		}},
	} {
		t.Run(tt.preset.Name, func(t *testing.T) {
			t.Parallel()
			seeds := 12
			f := &figures{}
			for seed := range seeds {
				dayOf(t, f, tt.preset, uint64(seed+1))
			}
			var table strings.Builder
			fmt.Fprintf(&table, "%s, mean of %d days\n%-20s %9s %9s %9s\n", tt.preset.Name, seeds, "", "real day", "model", "here")
			for _, r := range tt.rows {
				got := f.values[r.name] / float64(seeds)
				fmt.Fprintf(&table, "%-20s %9.4g %9.4g %9.4g\n", r.name, r.real, r.want, got)
				if r.part > 0 && math.Abs(got-r.want) > r.part*math.Abs(r.want) {
					t.Errorf("%s is %.4g, want %.4g within %.0f %%", r.name, got, r.want, 100*r.part)
				}
			}
			t.Log("\n" + table.String())
		})
	}
}
