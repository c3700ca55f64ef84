package backtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"replay/report/prediction"
)

// Run replays the recordings, with o.Seeds seeds each, and compares. Fit asks for parameters that are
// fitted on the recordings themselves, leaveOneOut for a second summary, with parameters that are fitted
// for each recording on the others.
func Run(ctx context.Context, recs []*Recording, o Options, fit, leaveOneOut bool) (*prediction.Report, error) {
	if leaveOneOut && len(recs) < 2 {
		return nil, errors.New("leave one out wants two or more recordings")
	}
	b := &prediction.Report{Chatter: map[string]bool{}, Settings: map[string]string{
		"allocation": o.Allocation, "latency": o.Latency, "seed": strconv.FormatUint(o.Engine.Seed, 10), "seeds": strconv.Itoa(max(o.Seeds, 1))}}
	if fit {
		b.Fit = estimated(recs)
		var err error
		if o.Engine, err = fittedOptions(o.Engine, b.Fit); err != nil {
			return nil, err
		}
	}
	m, err := o.Engine.ResolveModel()
	if err != nil {
		return nil, err
	}
	b.Model = m.Values()
	byName := map[string][]prediction.App{}
	for _, r := range recs {
		apps, seen, err := r.replaySeeds(ctx, o, b)
		if err != nil {
			return nil, err
		}
		b.Applications = append(b.Applications, apps...)
		for _, text := range r.caveats() {
			b.Caveats = append(b.Caveats, r.Name+" "+text+".")
		}
		byName[r.Name] = apps
		if r.IsCluster {
			b.Clusters = append(b.Clusters, r.compareCluster(seen))
		}
	}
	b.Noise = noise(recs, byName)
	b.Summary = prediction.Summarize(b.Applications)
	if !leaveOneOut {
		return b, nil
	}
	var apps []prediction.App
	for i, r := range recs {
		other := o
		var err error
		if other.Engine, err = fittedOptions(o.Engine, estimated(slices.Concat(recs[:i], recs[i+1:]))); err != nil {
			return nil, err
		}
		got, _, err := r.replaySeeds(ctx, other, nil)
		if err != nil {
			return nil, err
		}
		apps = append(apps, got...)
	}
	s := prediction.Summarize(apps)
	b.LeaveOneOut = &s
	return b, nil
}

// replaySeeds replays a recording with each seed. Of each application the replay with the median time is
// kept; what was observed is returned of every seed. Warnings of the first go to b, which may be nil.
func (r *Recording) replaySeeds(ctx context.Context, o Options, b *prediction.Report) ([]prediction.App, []*observed, error) {
	var all [][]prediction.App
	var every []*observed
	for k := range max(o.Seeds, 1) {
		one := o
		one.Engine.Seed += uint64(k)
		apps, seen, warnings, err := Replay(ctx, r, one)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, apps)
		if every = append(every, seen); k > 0 {
			continue
		}
		for _, w := range warnings {
			if b != nil {
				text := r.Name + ": " + w.Text
				if b.Warnings = append(b.Warnings, text); w.Chatter() {
					b.Chatter[text] = true
				}
			}
		}
	}
	if len(all) == 1 {
		return all[0], every, nil
	}
	out := make([]prediction.App, len(all[0]))
	for i := range out {
		slices.SortStableFunc(all, func(x, y []prediction.App) int { return cmp.Compare(x[i].PredictedMS, y[i].PredictedMS) })
		failed := 0 // these come first
		for failed < len(all) && all[failed][i].Failed() {
			failed++
		}
		if 2*failed > len(all) {
			out[i] = all[0][i]
			continue
		}
		good := all[failed:]
		out[i] = good[(len(good)-1)/2][i]
		out[i].RangeMS = &[2]int64{good[0][i].PredictedMS, good[len(good)-1][i].PredictedMS}
		if failed > 0 && b != nil {
			b.Warnings = append(b.Warnings, fmt.Sprintf("%s: application %s does not succeed with %d of %d seeds: %s", r.Name, out[i].Name, failed, len(all), all[0][i].Reason))
		}
	}
	return out, every, nil
}
