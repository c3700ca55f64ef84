package plot

import (
	"image/color"

	"replay/engine/record"
	"replay/report/figure"
	"replay/report/result"
)

// Colours of the levels of locality, the same in every plot.
var (
	onProcess    = figure.Palette[5]
	onHost       = figure.Palette[0]
	onRack       = figure.Palette[4]
	elsewhere    = figure.Palette[1]
	noPreference = figure.Grey

	matchColors = [record.Unmatched + 1]color.RGBA{
		record.NoPreference: noPreference, record.OnHost: onHost, record.OnRack: onRack, record.Elsewhere: elsewhere, record.Unmatched: noPreference,
	}
	taskColors = [record.AnyLevel + 1]color.RGBA{
		record.ProcessLocal: onProcess, record.TaskNodeLocal: onHost, record.NoPref: noPreference, record.TaskRackLocal: onRack, record.AnyLevel: elsewhere,
	}
)

// ContainerLevels are executor and task containers by where they are, against what they asked for.
func ContainerLevels(d *result.Data) (ls []figure.Level) {
	counts := d.Containers.Matches
	counts[record.NoPreference] += counts[record.Unmatched]
	for _, m := range []record.Match{record.OnHost, record.OnRack, record.Elsewhere, record.NoPreference} {
		ls = append(ls, figure.Level{Name: result.Matches[m], Color: matchColors[m], Count: float64(counts[m])})
	}
	return ls
}

// HintedLevels are executor and task containers by the hosts that tasks preferred, whatever their request named.
func HintedLevels(d *result.Data) []figure.Level {
	var all, hinting, hinted float64
	for j := range d.Jobs.All() {
		all += float64(j.Containers)
		hinting += float64(j.ContainersHinting)
		hinted += float64(j.ContainersHinted)
	}
	return []figure.Level{
		{Name: "host that tasks prefer", Color: onHost, Count: hinted},
		{Name: result.Matches[record.Elsewhere], Color: elsewhere, Count: hinting - hinted},
		{Name: "no task preferred a host", Color: noPreference, Count: all - hinting},
	}
}

// taskLevels are successful task attempts by where they ran.
func taskLevels(d *result.Data) []figure.Level {
	return append(PreferringTaskLevels(d), taskLevel(d, record.NoPref))
}

// PreferringTaskLevels are successful attempts of tasks with a preference by where they ran.
func PreferringTaskLevels(d *result.Data) (ls []figure.Level) {
	for _, l := range []record.TaskLevel{record.ProcessLocal, record.TaskNodeLocal, record.TaskRackLocal, record.AnyLevel} {
		ls = append(ls, taskLevel(d, l))
	}
	return ls
}

func taskLevel(d *result.Data, l record.TaskLevel) figure.Level {
	out := figure.Level{Name: result.TaskLevels[l].Short, Color: taskColors[l]}
	for j := range d.Jobs.All() {
		out.Count += float64(j.TaskLevels[l])
	}
	return out
}
