package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
)

// Collection is a collection that has cursors. Its value is part of the cursor.
type Collection byte

const (
	FixtureList Collection = 'f'
	MarketList  Collection = 'm'
	ChangeFeed  Collection = 'c'
	LiveList    Collection = 'l'
	PathPoints  Collection = 'p'
)

// Scope is the range of a cursor: one collection, account and filter.
type Scope struct {
	Collection Collection
	ClientID   string
	Filter     string // the filters in their canonical form; "" if there are none
}

// ErrCursor reports a text that is no cursor, or a cursor of another
// scope. The two cases are not distinguished.
var ErrCursor = errors.New("not a cursor of this collection and filter")

// A cursor is the base64 of
//
//	version (1 byte) | collection (1 byte) | position | tag (12 bytes)
//
// where the tag is a digest of the rest and the scope. There is no key: a client that
// forges a cursor reads its own data from another position, which it may do anyway, and
// every replica accepts the cursors of every other.
//
//	1: first
const cursorVersion = 1

const (
	cursorTag = 12
	cursorMax = 256 // characters; ours are below 100
)

var cursorText = base64.RawURLEncoding.Strict()

// Cursor returns the cursor of a position, which is the key after which the next page
// begins and never an offset.
func (s Scope) Cursor(position string) string {
	b := make([]byte, 0, 2+len(position)+cursorTag)
	b = append(b, cursorVersion, byte(s.Collection))
	b = append(b, position...)
	tag := s.tag(b)
	return cursorText.EncodeToString(append(b, tag[:]...))
}

// Position returns the position of a cursor, or [ErrCursor] if the text was not returned
// by Cursor for the same scope.
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

// tag is a digest of the parts with their lengths, so that it differs between scopes.
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
