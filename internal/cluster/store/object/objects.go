package object

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"mkt/publish/snapshot"
)

// The most time of one operation. A pack may have hundreds of megabytes.
const (
	smallTimeout = 30 * time.Second
	packTimeout  = 10 * time.Minute
)

// Set is the objects of a bucket below a prefix, which their names leave out. Each operation has a
// timeout, and its error is one of this package or [fs.ErrNotExist].
type Set struct {
	Bucket Bucket
	Prefix string
	Stats  *Stats // nil counts nothing
}

// MaxObject bounds an object read into memory: the largest is a manifest.
const MaxObject = 32 << 20

// Get reads a small object.
func (o Set) Get(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	r, a, err := o.Bucket.Read(ctx, o.Prefix+key)
	o.Stats.count("get", err)
	if err != nil {
		return nil, classify("read", key, err)
	}
	defer r.Close()
	if a.Size > MaxObject {
		return nil, fmt.Errorf("%s: %w: it has %d bytes", key, snapshot.ErrDamaged, a.Size)
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxObject+1))
	if err == nil && int64(len(data)) != a.Size {
		err = io.ErrUnexpectedEOF
	}
	o.Stats.received(int64(len(data)))
	if err != nil {
		return nil, classify("read", key, err)
	}
	return data, nil
}

// Open opens an object that is too large for the memory. The reader ends with its context.
func (o Set) Open(ctx context.Context, key string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, packTimeout)
	r, a, err := o.Bucket.Read(ctx, o.Prefix+key)
	o.Stats.count("get", err)
	if err != nil {
		cancel()
		return nil, classify("read", key, err)
	}
	return &objectReader{r: r, key: key, stats: o.Stats, left: a.Size, cancel: cancel}, nil
}

// objectReader reports a body that ends early as an error.
type objectReader struct {
	r      io.ReadCloser
	key    string
	stats  *Stats
	left   int64
	cancel context.CancelFunc
}

func (r *objectReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.left -= int64(n)
	r.stats.received(int64(n))
	switch {
	case err == io.EOF && r.left > 0:
		return n, classify("read", r.key, io.ErrUnexpectedEOF)
	case err != nil && err != io.EOF:
		return n, classify("read", r.key, err)
	}
	return n, err
}

// Close ends the transfer, if the object was not read to its end.
func (r *objectReader) Close() error {
	r.cancel()
	return r.r.Close()
}

// Exists reports whether the store has an object, and its size.
func (o Set) Exists(ctx context.Context, key string) (size int64, found bool, err error) {
	a, err := o.look(ctx, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return a.Size, true, nil
}

// Stored returns the time when an object was stored, by the store's clock.
func (o Set) Stored(ctx context.Context, key string) (time.Time, error) {
	a, err := o.look(ctx, key)
	return a.Stored, err
}

func (o Set) look(ctx context.Context, key string) (Attributes, error) {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	a, err := o.Bucket.Look(ctx, o.Prefix+key)
	o.Stats.count("head", err)
	if err != nil {
		return Attributes{}, classify("look up", key, err)
	}
	return a, nil
}

// Put stores an object with the output of write, and replaces any of that name.
func (o Set) Put(ctx context.Context, key string, write func(io.Writer) error) error {
	ctx, cancel := context.WithTimeout(ctx, packTimeout)
	defer cancel()
	body, w := io.Pipe()
	upload := &upload{w: w}
	stored := make(chan error, 1)
	go func() {
		err := o.Bucket.Write(ctx, o.Prefix+key, body, false)
		body.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
		stored <- err
	}()
	written := write(upload)
	if written != nil {
		w.CloseWithError(errAbandoned) // not the error itself, because io.EOF would complete the object
	} else {
		w.Close()
	}
	err := cmp.Or(<-stored, upload.failed)
	if written != nil && upload.failed == nil {
		return written // the caller's error, not the store's
	}
	o.Stats.count("put", err)
	o.Stats.sent(upload.sent)
	return classify("write", key, err)
}

var errAbandoned = errors.New("the object was not written to its end")

// upload notes that the store stopped taking bytes. This may show before all are written.
type upload struct {
	w      io.Writer
	sent   int64
	failed error
}

func (u *upload) Write(p []byte) (int, error) {
	n, err := u.w.Write(p)
	u.sent += int64(n)
	if err != nil {
		u.failed = err
	}
	return n, err
}

// createAttempts is the number of attempts to create an object while the outcome is unknown.
const createAttempts = 3

// Create stores data under a name that must be free. An object with the same bytes is ours: the
// answer to an earlier attempt was lost. Any other is a [snapshot.ErrConflict].
func (o Set) Create(ctx context.Context, key string, data []byte) error {
	var failed error
	for attempt := 1; attempt <= createAttempts; attempt++ {
		failed = o.createOnce(ctx, key, data)
		if failed == nil {
			return nil
		}
		// The object may be stored although the answer was lost or says otherwise, and another
		// write may be under way (409 at S3). So the stored object decides.
		there, err := o.Get(context.WithoutCancel(ctx), key)
		switch {
		case err == nil && bytes.Equal(there, data):
			return nil
		case err == nil:
			return fmt.Errorf("%s: %w", key, snapshot.ErrConflict)
		case !errors.Is(err, fs.ErrNotExist):
			return errors.Join(failed, err)
		case errors.Is(failed, ErrRefused), errors.Is(failed, ErrNoBucket), errors.Is(failed, ErrFull):
			return failed
		}
		if err := wait(ctx, time.Duration(attempt)*200*time.Millisecond); err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

func (o Set) createOnce(ctx context.Context, key string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	err := o.Bucket.Write(ctx, o.Prefix+key, bytes.NewReader(data), true)
	o.Stats.count("put", err)
	if err == nil {
		o.Stats.sent(int64(len(data)))
	}
	return classify("write", key, err)
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Delete deletes an object, which may be missing.
func (o Set) Delete(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	err := o.Bucket.Delete(ctx, o.Prefix+key)
	o.Stats.count("delete", err)
	if isAnswer(err) {
		return nil
	}
	return classify("delete", key, err)
}

// List calls visit with the objects below a prefix, in the order of their names, until it
// returns false. With a delimiter, names are cut at the first one after the prefix.
func (o Set) List(ctx context.Context, prefix, delimiter string, visit func(Object) (bool, error)) error {
	return o.listFrom(ctx, Listing{Prefix: o.Prefix + prefix, Delimiter: delimiter}, visit)
}

// FirstAfter returns the name of the first object below a prefix that comes after a name in
// their order, or "".
func (o Set) FirstAfter(ctx context.Context, prefix, after string) (key string, err error) {
	err = o.listFrom(ctx, Listing{Prefix: o.Prefix + prefix, After: o.Prefix + after}, func(found Object) (bool, error) {
		if found.Key > after {
			key = found.Key
		}
		return key == "", nil
	})
	return key, err
}

func (o Set) listFrom(ctx context.Context, from Listing, visit func(Object) (bool, error)) error {
	for {
		page, err := o.page(ctx, from)
		if err != nil {
			return err
		}
		for _, l := range page.Objects {
			l.Key = strings.TrimPrefix(l.Key, o.Prefix)
			more, err := visit(l)
			if err != nil || !more {
				return err
			}
		}
		if from.Token = page.Next; from.Token == "" {
			return nil
		}
	}
}

func (o Set) page(ctx context.Context, from Listing) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	page, err := o.Bucket.List(ctx, from)
	o.Stats.count("list", err)
	return page, classify("list", strings.TrimPrefix(from.Prefix, o.Prefix), err)
}
