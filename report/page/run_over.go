package page

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/record"
	"replay/report/figure"
	"replay/report/quantity"
	"replay/report/result"
	"replay/report/shares"
)

// Most of what a page draws of a replay: more would be no picture.
const (
	shownQueues = shares.MostQueues
	shownJobs   = 1000
)

// over returns what a replay shows over time: the cluster, applications, each queue against its fair share, locality, jobs, nodes.
func over(d *result.Data) Over {
	o := Over{EndMS: max(d.Manifest.Totals.EndMS, d.Queues.End, 1)}
	share := func(title string, lines ...Line) {
		lines = slices.DeleteFunc(lines, func(l Line) bool { return !l.any() })
		if len(lines) > 0 {
			o.Panels = append(o.Panels, Panel{title, true, lines})
		}
	}
	if t := d.Queues.Over[""]; t != nil {
		width, bins := t.Rebin(2*figure.SeriesBins, d.Queues.End)
		of := func(name string, color, num, den int) Line {
			return Line{name, color, false, width, figure.Quotient(bins[num], bins[den])}
		}
		share("Use of the cluster", of("memory allocated", 0, shares.UsedMem, shares.CapacityMem),
			of("vcores allocated", 1, shares.UsedVCores, shares.CapacityVCores), of("vcores running tasks", 2, shares.BusyCores, shares.CapacityVCores))
		apps := Panel{"Applications", false, []Line{of("runnable", 0, shares.Running, shares.Present), of("held back by a limit", 4, shares.Waiting, shares.Present)}}
		apps.Lines = slices.DeleteFunc(apps.Lines, func(l Line) bool { return !l.any() })
		if len(apps.Lines) > 0 {
			o.Panels = append(o.Panels, apps)
		}
	}
	for _, name := range d.Queues.Largest(shownQueues) {
		width, bins := d.Queues.Over[name].Rebin(2*figure.SeriesBins, d.Queues.End)
		lines := []Line{{"dominant share", 0, false, width, figure.Quotient(bins[shares.Dominant], bins[shares.Present])}}
		if d.Queues.ByQueue[name].HasFair {
			lines = append(lines, Line{"fair share", 7, true, width, figure.Quotient(bins[shares.FairDominant], bins[shares.Present])})
		}
		share("Queue "+figure.Drawable(name), lines...)
	}
	o.Lanes = append(o.Lanes, lives(d)...)
	o.Lanes = append(o.Lanes, nodes(d)...)
	return o
}

// any reports whether the line is anything but zero.
func (l *Line) any() bool {
	return slices.ContainsFunc(l.Values, func(x float64) bool { return x == x && x != 0 })
}

// lives are the jobs with their phases, by submission.
func lives(d *result.Data) []Lanes {
	l := Lanes{Title: "Jobs", Open: "jobs", Keys: []Key{{"waits for its application master", 4}, {"waits for its first task", 1}, {"runs", 0}}}
	list := listed(d)
	if len(list) > shownJobs {
		l.Title = fmt.Sprintf("The %s jobs that waited longest", quantity.Thousands(shownJobs))
		list = list[:shownJobs]
		l.Open = ""
	}
	if len(list) == 0 {
		return nil
	}
	if l.Open != "" {
		slices.SortFunc(list, func(a, b *result.Job) int { return cmp.Compare(a.ID, b.ID) })
	}
	for row, j := range list {
		l.Rows = append(l.Rows, jobName(j))
		end := j.Finish
		if !result.Happened(end) {
			end = max(d.Manifest.Totals.EndMS, j.Submit)
		}
		at := j.Submit
		for kind, to := range []int64{j.AMRegistered, j.FirstTask, end} {
			if !result.Happened(to) {
				if kind < 2 && !result.Happened(j.FirstTask) {
					to = end
				} else {
					continue
				}
			}
			if to > at || kind == 2 {
				l.Blocks.Add(row, 0, at, to, kind)
			}
			if at = to; to == end {
				break
			}
		}
	}
	if len(l.Blocks.Row) == 0 { // all were refused at once
		return nil
	}
	return []Lanes{l}
}

// nodes are the first containers of the replay on their nodes, by how near they are to what they asked for.
func nodes(d *result.Data) []Lanes {
	spans := d.Containers.Spans
	if len(spans) == 0 {
		return nil
	}
	l := Lanes{Title: "Containers on nodes", Keys: []Key{{"application master", 7}, {"on a host asked for", 0}, {"on its rack", 5}, {"elsewhere", 1}, {"asked for no host", -1}}}
	if n := d.Containers.N + d.Containers.AMs; n > int64(len(spans)) {
		l.Title += fmt.Sprintf(" (the first %s of %s)", quantity.Thousands(int64(len(spans))), quantity.Thousands(n))
		l.Until = max(1, spans[len(spans)-1].From)
	}
	kinds := map[record.Match]int{record.OnHost: 1, record.OnRack: 2, record.Elsewhere: 3}
	rows := map[int32]int{}
	var ids []int32
	for _, s := range spans {
		if _, ok := rows[s.Node]; !ok {
			rows[s.Node] = 0
			ids = append(ids, s.Node)
		}
	}
	slices.Sort(ids)
	free := make([][]int64, len(ids)) // by row and lane, when it becomes free
	for i, id := range ids {
		rows[id] = i
		l.Rows = append(l.Rows, nodeName(d, id))
	}
	for _, s := range spans {
		row, kind := rows[s.Node], 4
		if k, ok := kinds[s.Match]; ok {
			kind = k
		}
		if s.AM {
			kind = 0
		}
		lane := slices.IndexFunc(free[row], func(at int64) bool { return at <= s.From })
		if lane < 0 {
			lane = len(free[row])
			free[row] = append(free[row], 0)
		}
		free[row][lane] = s.To
		l.Blocks.Add(row, lane, s.From, s.To, kind)
	}
	return []Lanes{l}
}

func nodeName(d *result.Data, n int32) string {
	if n >= 0 && int(n) < len(d.Manifest.Hosts) {
		return d.Manifest.Hosts[n]
	}
	return fmt.Sprintf("node %d", n)
}

// jobName names a job by its number and its name, or the one that it had where it was recorded: tables and other logs know it by that.
func jobName(j *result.Job) string {
	if name := cmp.Or(j.Name, j.ExternalID); name != "" {
		return fmt.Sprintf("%d %s", j.ID, name)
	}
	return fmt.Sprint(j.ID)
}
