package codec

// framed hands out a stream that comes in blocks: the part of a reader that does not depend on the framing.
type framed struct {
	rest []byte // of the present block, not read yet
	err  error  // ended the stream
}

// read is Read; next puts the next block into rest, which stays empty where a block holds nothing.
func (b *framed) read(p []byte, next func() error) (int, error) {
	for len(b.rest) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.err = next(); b.err != nil {
			return 0, b.err
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
