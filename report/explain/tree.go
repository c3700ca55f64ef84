package explain

import (
	"cmp"
	"fmt"
	"slices"

	"replay/engine/record"
	"replay/report/parting"
	"replay/report/quantity"
)

// A Branch is the time until the first task or after it, by cause.
type Branch struct {
	Title  string    `json:"title"`
	MS     int64     `json:"ms"`
	Causes []InCause `json:"causes"` // in the order in which they first came
}

// InCause is the time that one cause made up, with some of its longest parts in words, in the order of time, and a line for the others.
type InCause struct {
	Label string   `json:"label"`
	MS    int64    `json:"ms"`
	Lines []string `json:"lines"`
}

// Branches are the parts as a tree, with at most so many of a cause one by one. Names may be nil for parts that were read back.
func (j *Job) Branches(n *parting.Names, most int) (list []Branch) {
	wait, rest := j.halves()
	if j.FirstTask == record.None {
		return []Branch{j.branch(n, most, wait, "without a first task")}
	}
	return []Branch{j.branch(n, most, wait, "until its first task"), j.branch(n, most, rest, "after it")}
}

// halves are the parts until the first task, and those after.
func (j *Job) halves() (wait, rest []Part) {
	for i := range j.Parts {
		if j.Parts[i].To > j.waited() {
			return j.Parts[:i], j.Parts[i:]
		}
	}
	return j.Parts, nil
}

func (j *Job) branch(n *parting.Names, most int, parts []Part, title string) Branch {
	b := Branch{Title: title, Causes: []InCause{}}
	var order []record.Cause
	by := map[record.Cause][]*Part{}
	for i := range parts {
		p := &parts[i]
		b.MS += p.Length()
		if by[p.Cause] == nil {
			order = append(order, p.Cause)
		}
		by[p.Cause] = append(by[p.Cause], p)
	}
	for _, c := range order {
		sum := InCause{Label: Label(c)}
		for _, p := range by[c] {
			sum.MS += p.Length()
		}
		sum.Lines = j.lines(n, most, by[c], sum.MS)
		b.Causes = append(b.Causes, sum)
	}
	return b
}

// lines say what the longest parts of a cause were, and how much there is beside them.
func (j *Job) lines(n *parting.Names, most int, parts []*Part, left int64) (lines []string) {
	shown := slices.Clone(parts)
	slices.SortStableFunc(shown, func(a, b *Part) int { return cmp.Compare(b.Length(), a.Length()) })
	shown = shown[:min(len(shown), most)]
	slices.SortFunc(shown, func(a, b *Part) int { return cmp.Compare(a.From, b.From) })
	for _, p := range shown {
		left -= p.Length()
		line := fmt.Sprintf("%s from +%s", ms(p.Length()), ms(p.From-j.Submit))
		if says := Says(p, n); says != "" {
			line += ": " + says
		}
		if by := ended(p, n); by != "" {
			line += "; until " + by
		}
		lines = append(lines, line)
	}
	if count := int64(len(parts) - len(shown)); count > 0 {
		lines = append(lines, fmt.Sprintf("%s in %s more", ms(left), quantity.Counted(count, "parts")))
	}
	return lines
}
