package page

// Over is what a page shows over simulated time: panels below one another on one axis, which zoom together. Where no scripts run,
// Figures stand in their place.
type Over struct {
	EndMS   int64
	Panels  []Panel
	Lanes   []Lanes
	Figures []Figure
}

// Panel is lines of one unit over time: a share of something, or a count.
type Panel struct {
	Title string `json:"title"`
	Share bool   `json:"share"` // shown in percent
	Lines []Line `json:"lines"`
}

// Line holds a value in each bin of WidthMS from time 0 on, NaN for none.
type Line struct {
	Name    string `json:"name"`
	Color   int    `json:"color"` // place in the palette
	Faint   bool   `json:"faint"` // dashed: something to hold the other lines against
	WidthMS int64  `json:"width"`
	Values  floats `json:"values"`
}

// Lanes are rows of blocks over time: jobs with their phases, nodes with their containers.
type Lanes struct {
	Title  string   `json:"title"`
	Rows   []string `json:"rows"`
	Keys   []Key    `json:"keys"`   // what colours mean, by the Kind of a block
	Blocks Blocks   `json:"blocks"` // in columns of equal length
	Until  int64    `json:"until"`  // blocks that begin after this time are not there; 0 where all are
	Open   string   `json:"open"`   // the grid of which row i is opened by a click on row i; empty for none
}

// Key says what blocks of a kind are.
type Key struct {
	Name  string `json:"name"`
	Color int    `json:"color"` // place in the palette, -1 grey
}

// Blocks are the columns of blocks: row, lane in it, from, to and kind.
type Blocks struct {
	Row  []int   `json:"row"`
	Lane []int   `json:"lane"`
	Most []int   `json:"most"` // lanes of each row
	From []int64 `json:"from"`
	To   []int64 `json:"to"`
	Kind []int   `json:"kind"`
}

// Add adds a block to a row that has room for it in its lane.
func (b *Blocks) Add(row, lane int, from, to int64, kind int) {
	b.Row, b.Lane, b.From, b.To, b.Kind = append(b.Row, row), append(b.Lane, lane), append(b.From, from), append(b.To, to), append(b.Kind, kind)
	for len(b.Most) <= row {
		b.Most = append(b.Most, 1)
	}
	b.Most[row] = max(b.Most[row], lane+1)
}

// Any reports whether there is anything over time.
func (o *Over) Any() bool { return o.Live() || len(o.Figures) > 0 }

// Live reports whether there is anything that zooms. Without it the figures stand for themselves.
func (o *Over) Live() bool { return len(o.Panels) > 0 || len(o.Lanes) > 0 }
