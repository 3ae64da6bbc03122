package reader

// chunker encodes entries, chunkRows at a time. text is a buffer for the bodies of the
// entries and is reused for every chunk.
type chunker struct {
	append  func(no int, compressed []byte) error
	no      int
	entries []entry
	text    []byte
	scratch []byte
}

func (c *chunker) add(e entry) error {
	c.entries = append(c.entries, e)
	if len(c.entries) < chunkRows {
		return nil
	}
	return c.flush()
}

func (c *chunker) flush() error {
	if len(c.entries) == 0 {
		return nil
	}
	var compressed []byte
	compressed, c.scratch = encodeChunk(c.scratch, c.entries)
	c.entries, c.text = c.entries[:0], c.text[:0]
	c.no++
	return c.append(c.no-1, compressed)
}
