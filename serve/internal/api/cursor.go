package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// Collection is what a cursor belongs to; its value is part of the cursor.
type Collection byte

const (
	FixtureList Collection = 'f'
	MarketList  Collection = 'm'
	ChangeFeed  Collection = 'c'
	LiveList    Collection = 'l'
)

// Scope is what a cursor is tied to: a cursor of another collection, account or
// filter does not fit.
type Scope struct {
	Collection Collection
	ClientID   string
	Filter     string // the filters in their canonical spelling; "" without any
}

// ErrCursor: the cursor was not made here, or belongs elsewhere. The two are
// not told apart.
var ErrCursor = errors.New("not a cursor of this collection and filter")

// A cursor is the base64 of
//
//	version (1 byte) | collection (1 byte) | position | tag (12 bytes)
//
// where the tag is a digest over all of it and the scope. There is no key: who
// forges a cursor reads his own data from another place, which he may do anyway,
// and any replica reads any other's cursors.
//
//	1: first
const cursorVersion = 1

const (
	cursorTag = 12
	cursorMax = 256 // characters; ours are below 100
)

var cursorText = base64.RawURLEncoding.Strict()

// Cursor wraps a position: a key to go on behind, never an offset.
func (s Scope) Cursor(position string) string {
	b := make([]byte, 0, 2+len(position)+cursorTag)
	b = append(b, cursorVersion, byte(s.Collection))
	b = append(b, position...)
	tag := s.tag(b)
	return cursorText.EncodeToString(append(b, tag[:]...))
}

// Position unwraps a cursor. It returns ErrCursor for everything that Cursor of
// the same scope did not make.
func (s Scope) Position(cursor string) (string, error) {
	if len(cursor) > cursorMax {
		return "", ErrCursor
	}
	b, err := cursorText.DecodeString(cursor)
	if err != nil || len(b) < 2+cursorTag {
		return "", ErrCursor
	}
	body, tag := b[:len(b)-cursorTag], b[len(b)-cursorTag:]
	want := s.tag(body)
	if body[0] != cursorVersion || body[1] != byte(s.Collection) || subtle.ConstantTimeCompare(tag, want[:]) != 1 {
		return "", ErrCursor
	}
	return string(body[2:]), nil
}

// tag digests the parts with their lengths, so that no two scopes run together.
func (s Scope) tag(body []byte) (tag [cursorTag]byte) {
	b := make([]byte, 0, 128)
	b = append(b, "mkt cursor"...)
	for _, part := range []string{s.ClientID, s.Filter, string(body)} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	sum := sha256.Sum256(b)
	copy(tag[:], sum[:])
	return tag
}
