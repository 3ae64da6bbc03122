// Package object has the objects of a bucket: the driver of a store, and operations on it with timeouts,
// counts and errors that say what to do next.
package object

import (
	"bytes"
	"context"
	"hash"
	"io"
	"time"
)

// Bucket is implemented by a driver: the operations on one bucket that this package needs. It is
// safe for concurrent use. It repeats requests that may succeed later, as long as the context
// allows. Its errors are an [*Error], or those of the context; any other error of a bucket counts
// as temporary.
type Bucket interface {
	// Read opens an object. A body that ends early, or differs from the checksum of the
	// object, ends with an error and not with [io.EOF].
	Read(ctx context.Context, key string) (io.ReadCloser, Attributes, error)
	// Look returns the attributes of an object.
	Look(ctx context.Context, key string) (Attributes, error)
	// Write stores an object, whole or not at all: if body ends with an error, nothing. With
	// onlyIfAbsent the error is [Exists] if there is an object of this name, whoever wrote it and
	// when.
	Write(ctx context.Context, key string, body io.Reader, onlyIfAbsent bool) error
	// Delete deletes an object. It may report [Absent].
	Delete(ctx context.Context, key string) error
	// List returns a page of names in the order of their bytes.
	List(ctx context.Context, from Listing) (Page, error)
	// Close frees the connections.
	Close() error
}

// Attributes are a store's information about an object.
type Attributes struct {
	Size   int64 // in bytes
	Stored time.Time
}

// Listing is a request for names.
type Listing struct {
	Prefix string
	// Delimiter, if not empty, cuts names at its first occurrence after the prefix.
	Delimiter string
	// After is a name before which the listing need not begin. A driver may ignore it.
	After string
	Token string // of the page before; "" for the first
}

// Page is part of a listing.
type Page struct {
	Objects []Object
	Next    string // the token of the next page; "" if this is the last
}

// Object is one entry of a listing.
type Object struct {
	Key      string
	IsPrefix bool // a name cut at the delimiter, which stands for all names that begin with it
	Attributes
}

// Checked returns a body that ends with a [Damaged] error if the sum of its bytes is not the
// wanted one.
func Checked(body io.ReadCloser, sum hash.Hash, want []byte) io.ReadCloser {
	return &checked{body, sum, want}
}

type checked struct {
	io.ReadCloser
	sum  hash.Hash
	want []byte
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.sum.Write(p[:n])
	if err == io.EOF && !bytes.Equal(c.sum.Sum(nil), c.want) {
		err = &Error{Kind: Damaged}
	}
	return n, err
}
