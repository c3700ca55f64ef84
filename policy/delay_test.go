package policy

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Ten nodes; an application is offered one node after the other, 100 ms apart, and gets nothing.
func TestDelays(t *testing.T) {
	tests := []struct {
		delay    string
		settings DelaySettings
		want     string // level at each offer: none, node, rack, off-switch
	}{
		{"offers", DelaySettings{Node: 0.2, Rack: 0.3}, "N N R R R R O O O O"}, // more than 2 of 10, then more than 3
		{"offers", DelaySettings{Node: 0, Rack: 0}, "N R O O O O O O O O"},
		{"offers", DelaySettings{Node: 7, Rack: 0}, "N N N N N N N N N N"}, // no more than all nodes count
		{"offers", DelaySettings{Node: -1, Rack: 0.5}, "O O O O O O O O O O"},
		{"offers", DelaySettings{Node: 0.5, Rack: -1, NodeMS: 500, RackMS: 500}, "O O O O O O O O O O"},
		{"offers", DelaySettings{NodeMS: -1, RackMS: -1}, "N R O O O O O O O O"}, // looks at no time
		{"time", DelaySettings{NodeMS: 200, RackMS: 300}, "N N N R R R R O O O"},
		{"time", DelaySettings{NodeMS: 0, RackMS: 0}, "N R O O O O O O O O"},
		{"time", DelaySettings{NodeMS: -1, RackMS: 300}, "O O O O O O O O O O"},
		{"time", DelaySettings{NodeMS: 300, RackMS: -1}, "O O O O O O O O O O"},
		{"time", DelaySettings{Node: -1, Rack: -1}, "N R O O O O O O O O"}, // looks at no nodes
		{"none", DelaySettings{Node: 0.5, Rack: 0.5, NodeMS: 500, RackMS: 500}, "O O O O O O O O O O"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.delay, tt.settings), func(t *testing.T) {
			d, err := NewDelay(tt.delay, tt.settings)
			if err != nil {
				t.Fatal(err)
			}
			var p Patience
			var got []string
			for i := range int64(10) {
				p.Offers++
				got = append(got, "-NRO"[d.Level(&p, 10, 5000+100*i):][:1])
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("levels %s, want %s", s, tt.want)
			}
		})
	}
}

// Offers count from the last change of the level on, and time from when it was reached.
func TestPatienceStartsAnewAtEachLevel(t *testing.T) {
	byOffers, _ := NewDelay("offers", DelaySettings{Node: 0.3, Rack: 0.3})
	p := Patience{Offers: 4, Level: NodeLevel, Since: 7}
	if got := byOffers.Level(&p, 10, 100); got != RackLevel || p != (Patience{Level: RackLevel, Since: 100}) {
		t.Errorf("the level is %v, kept is %+v", got, p)
	}
	byTime, _ := NewDelay("time", DelaySettings{NodeMS: 10, RackMS: 20})
	p = Patience{Offers: 4, Level: RackLevel, Since: 80}
	if got := byTime.Level(&p, 10, 100); got != RackLevel || p.Offers != 4 {
		t.Errorf("after 20 ms the level is %v, kept is %+v", got, p)
	}
	if got := byTime.Level(&p, 10, 101); got != AnyLevel || p != (Patience{Level: AnyLevel, Since: 101}) {
		t.Errorf("after 21 ms the level is %v, kept is %+v", got, p)
	}
}

// A container nearer than permitted takes the level back to where it was found, one from anywhere does not.
func TestGot(t *testing.T) {
	for _, tt := range []struct{ level, got, want Level }{
		{AnyLevel, NodeLevel, NodeLevel}, {AnyLevel, RackLevel, RackLevel}, {AnyLevel, AnyLevel, AnyLevel},
		{RackLevel, NodeLevel, NodeLevel}, {RackLevel, RackLevel, RackLevel}, {RackLevel, AnyLevel, RackLevel},
		{NodeLevel, NodeLevel, NodeLevel}, {NodeLevel, AnyLevel, NodeLevel}, {NoLevel, NodeLevel, NoLevel},
	} {
		p := Patience{Level: tt.level, Offers: 3, Since: 9}
		if p.Got(tt.got); p != (Patience{Level: tt.want, Offers: 3, Since: 9}) {
			t.Errorf("%v and a container at %v: %+v, want %v", tt.level, tt.got, p, tt.want)
		}
	}
}

func TestUnknownDelayNamesTheKnownOnes(t *testing.T) {
	if _, err := NewDelay("lottery", DelaySettings{}); err == nil || err.Error() != `unknown delay scheduling "lottery" (known: offers, time, none)` {
		t.Errorf("error %v, want the known names in it", err)
	}
}

// TestForeseenOffers makes offers one by one and all at once: the same level after each number that is foreseen to change nothing, and
// another one after that.
func TestForeseenOffers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]float64{0, 0.1, 0.33, 0.5, 1, 7})
		d := newOfferDelay(DelaySettings{Node: part.Draw(t, "node"), Rack: part.Draw(t, "rack")})
		nodes := rapid.IntRange(1, 60).Draw(t, "nodes")
		start := Patience{Offers: rapid.Int32Range(0, 80).Draw(t, "offers"), Level: Level(rapid.IntRange(0, 3).Draw(t, "level"))}
		f, one := d.(Foreseen), start
		until := f.Until(&start, nodes)
		accepted := max(start.Level, NodeLevel)
		for k := int64(1); k <= min(until, 200); k++ {
			one.Offers++
			if level := d.Level(&one, nodes, 0); (level != accepted) != (k == until) {
				t.Fatalf("offer %d accepts %v after %v, a change was foreseen at %d", k, level, accepted, until)
			}
			if k == until {
				return
			}
			all := start
			if f.Pass(&all, k); all != one {
				t.Fatalf("%d offers at once give %+v, one by one %+v", k, all, one)
			}
		}
	})
}
