package yarn

// Cycle finds the ranks of heartbeats, numbered as [Elider] has it. Next to all that are asked for are of the cycle that was asked for last or of one beside it, which takes no
// division: a division takes as long as twenty other steps. The zero value, with [Cycle.Reset], begins with the first cycle.
type Cycle struct {
	count  int64 // of ranks
	first  int64 // heartbeat of the cycle
	number int64 // of the cycle, from 0
}

// Reset begins with the first of cycles of so many heartbeats.
func (c *Cycle) Reset(count int) { *c = Cycle{count: int64(count)} }

// Rank returns the rank of a heartbeat.
func (c *Cycle) Rank(h int64) int {
	if rank := h - c.first; uint64(rank) < uint64(c.count) {
		return int(rank)
	}
	return c.turn(h)
}

// turn is Rank of a heartbeat of another cycle. It stands apart so that Rank costs no call.
//
//go:noinline
func (c *Cycle) turn(h int64) int {
	switch rank := h - c.first; {
	case rank >= c.count && rank < 2*c.count:
		c.number++
	case rank < 0 && rank >= -c.count:
		c.number--
	default:
		c.number = h / c.count
	}
	c.first = c.number * c.count
	return int(h - c.first)
}

// Number returns which cycle the heartbeat is of that was asked for last.
func (c *Cycle) Number() int64 { return c.number }

// After returns the first heartbeat from h on that has a rank.
func (c *Cycle) After(h int64, rank int) int64 {
	far := int64(rank - c.Rank(h))
	if far < 0 {
		far += c.count
	}
	return h + far
}
