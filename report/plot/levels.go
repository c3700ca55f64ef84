package plot

import (
	"image/color"

	"replay/engine/record"
	"replay/report/figure"
	"replay/report/result"
)

// level is how a level of locality looks, the same in every plot.
type level struct {
	name  string
	color color.RGBA
}

var (
	onHost       = level{"preferred host", figure.Palette[0]}
	onProcess    = level{"same process", figure.Palette[5]}
	onRack       = level{"its rack", figure.Palette[4]}
	elsewhere    = level{"elsewhere", figure.Palette[1]}
	noPreference = level{"no preference", figure.Grey}
)

// of returns the level with its count.
func (l level) of(n float64) figure.Level {
	return figure.Level{Name: l.name, Color: l.color, Count: n}
}

// matches are the levels by record.Match.
var matches = [record.Unmatched + 1]level{noPreference, onHost, onRack, elsewhere, noPreference}

// ContainerLevels are executor and task containers by where they are, against what they asked for.
func ContainerLevels(d *result.Data) []figure.Level {
	m := d.Containers.Matches
	return []figure.Level{
		onHost.of(float64(m[record.OnHost])),
		onRack.of(float64(m[record.OnRack])),
		elsewhere.of(float64(m[record.Elsewhere])),
		noPreference.of(float64(m[record.NoPreference] + m[record.Unmatched])),
	}
}

// HintedLevels are executor and task containers by the hosts that tasks preferred, whatever their request named.
func HintedLevels(d *result.Data) []figure.Level {
	var all, hinting, hinted float64
	for i := range d.Jobs {
		j := &d.Jobs[i]
		all += float64(j.Containers)
		hinting += float64(j.ContainersHinting)
		hinted += float64(j.ContainersHinted)
	}
	return []figure.Level{
		{Name: "host that tasks prefer", Color: onHost.color, Count: hinted},
		elsewhere.of(hinting - hinted),
		{Name: "no task preferred a host", Color: noPreference.color, Count: all - hinting},
	}
}

// TaskLevels are successful task attempts by where they ran; those with a preference only, or all.
func TaskLevels(d *result.Data, preferring bool) []figure.Level {
	var n [record.AnyLevel + 1]float64
	for i := range d.Jobs {
		for l, k := range d.Jobs[i].TaskLevels {
			n[l] += float64(k)
		}
	}
	levels := []figure.Level{
		onProcess.of(n[record.ProcessLocal]),
		onHost.of(n[record.TaskNodeLocal]),
		onRack.of(n[record.TaskRackLocal]),
		elsewhere.of(n[record.AnyLevel]),
	}
	if preferring {
		return levels
	}
	return append(levels, noPreference.of(n[record.NoPref]))
}
