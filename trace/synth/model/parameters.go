// Package model holds the laws that synthetic workloads are made of, each with its parameters by name: arrivals, sizes of
// jobs, shapes of DAGs, durations, the popularity of files, machines, users and queues, and failures of nodes.
//
// A law draws from the random streams that it is given and from nothing else, so that a change of one leaves the others as
// they were. Times are in ms where a name does not say another unit, memory in MiB, CPU in vcores, sizes in bytes.
package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Parameter is a number, a list or a law of a model that can be set by its name.
type Parameter struct {
	Name  string
	Usage string
	text  func() string
	set   func(text string) error // whose error says what is wanted
}

// Text is the value as [Parameters.Set] takes it.
func (p *Parameter) Text() string { return p.text() }

// Parameters are those of a model in the order in which it names them.
type Parameters struct {
	All    []Parameter
	prefix string
}

// In calls name with the parameters below prefix.
func (p *Parameters) In(prefix string, name func(*Parameters)) {
	outer := p.prefix
	p.prefix += prefix + "."
	name(p)
	p.prefix = outer
}

func (p *Parameters) add(name, usage string, text func() string, set func(string) error) {
	p.All = append(p.All, Parameter{p.prefix + name, usage, text, set})
}

// Set takes "name=value". The error names the parameter, its value and what was wanted.
func (p *Parameters) Set(assignment string) error {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("--set is %q, want name=value", assignment)
	}
	i := slices.IndexFunc(p.All, func(q Parameter) bool { return q.Name == name })
	if i < 0 {
		return fmt.Errorf("--set is %q, want one of the parameters of the preset: %s", assignment, strings.Join(p.names(name), ", "))
	}
	if err := p.All[i].set(value); err != nil {
		return fmt.Errorf("%s is %q, want %w", name, value, err)
	}
	return nil
}

// names are those with the same beginning as the name up to its first dot, or all.
func (p *Parameters) names(like string) (names []string) {
	head, _, _ := strings.Cut(like, ".")
	for _, all := range []bool{false, true} {
		for i := range p.All {
			if all || strings.HasPrefix(p.All[i].Name, head+".") {
				names = append(names, p.All[i].Name)
			}
		}
		if len(names) > 0 {
			break
		}
	}
	return names
}

// Float names a number from low to high.
func (p *Parameters) Float(name string, v *float64, low, high float64, usage string) {
	p.add(name, usage, func() string { return number(*v) }, func(text string) error {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= low && x <= high) {
			return fmt.Errorf("a number from %g to %g", low, high)
		}
		*v = x
		return nil
	})
}

// Int names a whole number from low to high.
func (p *Parameters) Int(name string, v *int64, low, high int64, usage string) {
	p.add(name, usage, func() string { return strconv.FormatInt(*v, 10) }, func(text string) error {
		x, err := strconv.ParseInt(text, 10, 64)
		if err != nil || x < low || x > high {
			return fmt.Errorf("a whole number from %d to %d", low, high)
		}
		*v = x
		return nil
	})
}

// List names n numbers of 0 or more, not all 0; n = 0 takes any number of them.
func (p *Parameters) List(name string, v *[]float64, n int, usage string) {
	p.add(name, usage, func() string { return numbers(*v) }, func(text string) error {
		list, sum := []float64(nil), 0.0
		for one := range strings.SplitSeq(text, ",") {
			x, err := parse(one)
			if err != nil || x < 0 {
				return fmt.Errorf("numbers of 0 or more with commas between them")
			}
			list, sum = append(list, x), sum+x
		}
		if n > 0 && len(list) != n || sum == 0 {
			return fmt.Errorf("%d numbers with commas between them, not all of them 0", max(n, 1))
		}
		*v = list
		return nil
	})
}

// pairs names a list of pairs a:b.
func (p *Parameters) pairs(name, usage, want string, v *[][2]float64, ok func([][2]float64) bool) {
	p.add(name, usage, func() string {
		var all []string
		for _, x := range *v {
			all = append(all, number(x[0])+":"+number(x[1]))
		}
		return strings.Join(all, ",")
	}, func(text string) error {
		var list [][2]float64
		for one := range strings.SplitSeq(text, ",") {
			a, b, _ := strings.Cut(one, ":")
			x, err1 := parse(a)
			y, err2 := parse(b)
			if err1 != nil || err2 != nil {
				return fmt.Errorf("%s", want)
			}
			list = append(list, [2]float64{x, y})
		}
		if !ok(list) {
			return fmt.Errorf("%s", want)
		}
		*v = list
		return nil
	})
}

// parse reads a finite number.
func parse(text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func numbers(list []float64) string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = number(v)
	}
	return strings.Join(all, ",")
}
