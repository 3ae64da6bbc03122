package store

import (
	"bytes"
	"context"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
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

// Kind is the reason why an operation on a bucket failed.
type Kind int

// The kinds of failures.
const (
	Away     Kind = iota // no answer, or a temporary error
	Absent               // there is no such object
	Exists               // there is one already
	Damaged              // the object differs from the stored one
	Denied               // the credential, the setting or the permissions are wrong
	NoBucket             // there is no such bucket
	Full                 // the store takes no more data
	Unsafe               // the store cannot create an object only if it is absent
)

// Error is the error of a failed operation on a bucket. It keeps only the status and the code of
// the answer: texts of stores and their libraries contain addresses and parts of the credential.
type Error struct {
	Kind   Kind
	Status int    // of HTTP; 0 if there was no answer
	Code   string // the store's own code, such as SlowDown; "" if it sent none
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s%s", [...]string{"away", "absent", "exists", "damaged", "denied", "no bucket", "full", "unsafe"}[e.Kind], said(e.Status, e.Code))
}

// Refusal returns the error for an answer other than success. code is the store's own code.
func Refusal(status int, code string) *Error {
	e := &Error{Status: status, Code: code}
	switch {
	case code == "NoSuchBucket":
		e.Kind = NoBucket
	case status == http.StatusNotFound:
		e.Kind = Absent
	case status == http.StatusPreconditionFailed, status == http.StatusNotModified:
		e.Kind = Exists
	case status == http.StatusNotImplemented:
		e.Kind = Unsafe
	case status == http.StatusInsufficientStorage, strings.Contains(code, "QuotaExceeded"), strings.Contains(code, "StorageFull"):
		e.Kind = Full
	case status == http.StatusForbidden, status == http.StatusUnauthorized, isSetting(status, code):
		e.Kind = Denied
	}
	return e
}

// isSetting reports whether a request is refused because of the settings, and will be refused
// again: an expired token, or the region of another bucket. The answer to a HEAD has no code.
func isSetting(status int, code string) bool {
	switch {
	case status >= 300 && status < 400:
		return true
	case status != http.StatusBadRequest:
		return false
	}
	return slices.Contains([]string{"", "BadRequest", "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "AuthorizationHeaderMalformed", "InvalidBucketName"}, code)
}

// Driver opens the bucket named by the host of an address. It sends no request. The parameters of
// the address are the driver's; an unknown one is an error.
type Driver func(ctx context.Context, address *url.URL) (Bucket, error)

var drivers = struct {
	sync.Mutex
	of map[string]Driver
}{of: map[string]Driver{}}

// Register makes a driver known under the scheme of its addresses, such as "s3". Drivers register
// themselves when they are imported. Only the program imports them: tests of other packages link
// no cloud.
func Register(scheme string, d Driver) {
	drivers.Lock()
	defer drivers.Unlock()
	drivers.of[scheme] = d
}

func driverOf(scheme string) (Driver, bool) {
	drivers.Lock()
	defer drivers.Unlock()
	d, ok := drivers.of[scheme]
	return d, ok
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
