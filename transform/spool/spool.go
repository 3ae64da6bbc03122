// Package spool keeps rows until they can be written in order.
package spool

import (
	"fmt"
	"hash/crc32"
	"slices"
	"sync"

	"mkt/publish/durable"
)

// Rows keeps the encoded rows of fixtures until all payloads are read: rows are written in
// the order of the fixtures' ids, in which no provider answers. It keeps them in memory, and in a
// file if they are many. It is safe for concurrent use.
type Rows struct {
	root durable.FS
	name string // of the file

	mu     sync.Mutex
	file   durable.File // nil until it is needed
	stored int64        // bytes in the file
	buffer []byte       // those behind it
	reader durable.Reader
	found  []byte // the rows read last
}

// New returns an empty Rows, whose file would have this name.
func New(root durable.FS, name string) *Rows { return &Rows{root: root, name: name} }

// Place is where the rows of a fixture are.
type Place struct {
	at   int64
	size int
	sum  uint32 // their CRC-32C
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MaxBuffered is the number of bytes that a Rows keeps in memory: the rows of 100,000
// selections.
const MaxBuffered = 16 << 20

// Add keeps the rows of one fixture. It copies them.
func (s *Rows) Add(rows []byte) (Place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.buffer)+len(rows) > MaxBuffered {
		if err := s.flush(); err != nil {
			return Place{}, err
		}
	}
	if cap(s.buffer)-len(s.buffer) < len(rows) {
		larger := make([]byte, len(s.buffer), min(max(2*cap(s.buffer), 1<<20), MaxBuffered)+len(rows))
		copy(larger, s.buffer)
		s.buffer = larger
	}
	at := Place{s.stored + int64(len(s.buffer)), len(rows), crc32.Checksum(rows, castagnoli)}
	s.buffer = append(s.buffer, rows...)
	return at, nil
}

// flush moves the buffer to the file.
func (s *Rows) flush() error {
	if s.file == nil {
		file, err := s.root.Create(s.name)
		if err != nil {
			return err
		}
		s.file = file
	}
	n, err := s.file.Write(s.buffer)
	s.stored += int64(n)
	s.buffer = s.buffer[:0]
	return err
}

// Read returns the rows of a fixture. They are valid until the next call. Nothing may be added
// any more.
func (s *Rows) Read(of Place) ([]byte, error) {
	if of.at >= s.stored {
		from := of.at - s.stored
		return s.buffer[from : from+int64(of.size)], nil
	}
	if s.reader == nil {
		reader, err := s.root.Open(s.name)
		if err != nil {
			return nil, err
		}
		s.reader = reader
	}
	s.found = slices.Grow(s.found[:0], of.size)[:of.size]
	if _, err := s.reader.ReadAt(s.found, of.at); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if crc32.Checksum(s.found, castagnoli) != of.sum {
		return nil, fmt.Errorf("%s: the disk does not return what was written; check it, then run transform again", s.name)
	}
	return s.found, nil
}

// Close deletes the file, if there is one: until it is closed, its bytes stay on the disk.
func (s *Rows) Close() error {
	if s.file == nil {
		return nil
	}
	s.file.Close() // it is deleted: nobody reads data lost by a failed close
	if s.reader != nil {
		s.reader.Close()
	}
	s.file, s.reader = nil, nil
	return s.root.Remove(s.name)
}
