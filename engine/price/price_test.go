package price

import (
	"strings"
	"testing"

	"replay/trace"
)

// A label counts before a size, and a size before all others.
func TestPrices(t *testing.T) {
	nodes := []trace.Node{
		{Host: "a", MemMiB: 65536, VCores: 16, Present: true}, {Host: "b", MemMiB: 65536, VCores: 16, Labels: []string{"gpu"}, Present: true},
		{Host: "c", MemMiB: 1024, VCores: 1, Present: true}, {Host: "d", MemMiB: 65536, VCores: 16},
	}
	p, err := Read("p", []byte("currency = EUR\nminimum=1d\ngpu=3 # dear\n\n65536x16=0.5\n*=.25\n"))
	if err != nil {
		t.Fatal(err)
	}
	of, err := p.Of(nodes)
	if err != nil || of.Currency != "EUR" || of.MinimumMS != 86_400_000 {
		t.Fatalf("%+v (%v)", of, err)
	}
	for i, want := range []int64{500_000, 3_000_000, 250_000, 500_000} {
		if got := of.Types[of.TypeOf[i]].Hour; got != want {
			t.Errorf("node %s costs %d, want %d", nodes[i].Host, got, want)
		}
	}
	for text, want := range map[string]string{"": "p: no price in it", "gpu": `p:1: "gpu", want TYPE=AMOUNT`, "x=1\nx=2": "p:2: a second price of x", "x=-1": "want TYPE=AMOUNT", "x=NaN": "want TYPE=AMOUNT",
		"x=0.1234567": "at most six digits", "minimum=1ms": `p:1: minimum is "1ms", want whole seconds`} {
		if _, err := Read("p", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	p, err = Read("p", []byte("gpu=3"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Of(nodes); err == nil || !strings.Contains(err.Error(), "no price of node a: want one of 65536x16, *") {
		t.Error(err)
	}
}

// Whatever a file of prices says, each price that is read is within bounds, and what is refused is so by the file's name.
func FuzzPrices(f *testing.F) {
	f.Add([]byte("currency=EUR\nminimum=60s\n65536x16=0.42 # large\n*=0.1\n"))
	f.Add([]byte("a=1e3\n"))
	f.Add([]byte("a=1000.000001\na=1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read("prices", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "prices:") {
				t.Errorf("%q: %v, want the file's name first", text, err)
			}
			return
		}
		for kind, hour := range p.of {
			if kind == "" || hour < 0 || hour > 1000*Millionth {
				t.Errorf("%q: %q costs %d", text, kind, hour)
			}
		}
	})
}
