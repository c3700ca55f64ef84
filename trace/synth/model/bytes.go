package model

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Bytes is a law of sizes: none with a share of Zero, else a log-normal by mean and standard deviation of the logarithm.
type Bytes struct{ Zero, Mu, SD float64 }

func (b *Bytes) parameters(p *Parameters, name string) {
	p.In(name, func(p *Parameters) {
		p.Float("zero", &b.Zero, 0, 1, "share without any")
		p.Float("mu", &b.Mu, -50, 50, "mean of the logarithm of bytes")
		p.Float("sd", &b.SD, 0, 20, "its standard deviation")
	})
}

// Class is a class of jobs by what they read and shuffle.
type Class struct {
	Weight         float64
	Input, Shuffle Bytes
	Rho            float64 // correlation of the logarithms of both
}

// Classes are the classes of a workload.
type Classes struct {
	List      []Class
	MostInput float64 // bytes
}

// ClassTable makes classes of rows of weight; share without, mean and deviation of input, and of shuffle; correlation.
func ClassTable(rows [][8]float64) (list []Class) {
	for _, r := range rows {
		list = append(list, Class{Weight: r[0], Input: Bytes{r[1], r[2], r[3]}, Shuffle: Bytes{r[4], r[5], r[6]}, Rho: r[7]})
	}
	return list
}

// Parameters names those of all classes, which are numbered from 1.
func (c *Classes) Parameters(p *Parameters) {
	p.Float("max_input_bytes", &c.MostInput, 1, 1e18, "the most that a job reads")
	for i := range c.List {
		class := &c.List[i]
		p.In(fmt.Sprintf("class%d", i+1), func(p *Parameters) {
			p.Float("weight", &class.Weight, 0, 1e9, "share of the jobs, against those of the other classes")
			class.Input.parameters(p, "input")
			class.Shuffle.parameters(p, "shuffle")
			p.Float("rho", &class.Rho, -1, 1, "correlation of the logarithms of input and shuffle")
		})
	}
}

// Draw returns what a job reads and shuffles.
func (c *Classes) Draw(r *rand.Rand) (input, shuffle int64) {
	sum := 0.0
	for i := range c.List {
		sum += c.List[i].Weight
	}
	at, i := float64(r.Float64()*sum), 0
	for at -= c.List[0].Weight; at >= 0 && i < len(c.List)-1; at -= c.List[i].Weight {
		i++
	}
	class := &c.List[i]
	noInput, noShuffle := r.Float64() < class.Input.Zero, r.Float64() < class.Shuffle.Zero
	z, w := r.NormFloat64(), r.NormFloat64()
	w = float64(class.Rho*z) + float64(math.Sqrt(1-float64(class.Rho*class.Rho))*w)
	if !noInput {
		input = int64(min(class.Input.at(z), c.MostInput))
	}
	if !noShuffle {
		shuffle = int64(min(class.Shuffle.at(w), c.MostInput))
	}
	return input, shuffle
}

// at is the size z standard deviations from the middle, at least 1 byte.
func (b *Bytes) at(z float64) float64 { return max(1, math.Exp(b.Mu+float64(b.SD*z))) }
