package store

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

// objects are the operations on a bucket that this package needs. Each has a timeout, and its
// error is one of the above. Names are below prefix.
type objects struct {
	bucket Bucket
	prefix string
	stats  *Stats
}

// maxObject bounds an object read into memory: the largest is a manifest.
const maxObject = 32 << 20

func (o objects) get(ctx context.Context, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	r, a, err := o.bucket.Read(ctx, o.prefix+key)
	o.stats.count("get", err)
	if err != nil {
		return nil, classify("read", key, err)
	}
	defer r.Close()
	if a.Size > maxObject {
		return nil, fmt.Errorf("%s: %w: it has %d bytes", key, snapshot.ErrDamaged, a.Size)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxObject+1))
	if err == nil && int64(len(data)) != a.Size {
		err = io.ErrUnexpectedEOF
	}
	o.stats.received(int64(len(data)))
	if err != nil {
		return nil, classify("read", key, err)
	}
	return data, nil
}

// open opens an object that is too large for the memory. The reader ends with its context.
func (o objects) open(ctx context.Context, key string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, packTimeout)
	r, a, err := o.bucket.Read(ctx, o.prefix+key)
	o.stats.count("get", err)
	if err != nil {
		cancel()
		return nil, classify("read", key, err)
	}
	return &objectReader{r: r, key: key, stats: o.stats, left: a.Size, cancel: cancel}, nil
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

// exists reports whether the store has an object, and its size.
func (o objects) exists(ctx context.Context, key string) (size int64, found bool, err error) {
	a, err := o.look(ctx, key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	return a.Size, true, nil
}

// stored returns the time when an object was stored, by the store's clock.
func (o objects) stored(ctx context.Context, key string) (time.Time, error) {
	a, err := o.look(ctx, key)
	return a.Stored, err
}

func (o objects) look(ctx context.Context, key string) (Attributes, error) {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	a, err := o.bucket.Look(ctx, o.prefix+key)
	o.stats.count("head", err)
	if err != nil {
		return Attributes{}, classify("look up", key, err)
	}
	return a, nil
}

// put stores an object with the output of write, and replaces any of that name.
func (o objects) put(ctx context.Context, key string, write func(io.Writer) error) error {
	ctx, cancel := context.WithTimeout(ctx, packTimeout)
	defer cancel()
	body, w := io.Pipe()
	upload := &upload{w: w}
	stored := make(chan error, 1)
	go func() {
		err := o.bucket.Write(ctx, o.prefix+key, body, false)
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
	o.stats.count("put", err)
	o.stats.sent(upload.sent)
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

// create stores data under a name that must be free. An object with the same bytes is ours: the
// answer to an earlier attempt was lost. Any other is a [snapshot.ErrConflict].
func (o objects) create(ctx context.Context, key string, data []byte) error {
	var failed error
	for attempt := 1; attempt <= createAttempts; attempt++ {
		failed = o.createOnce(ctx, key, data)
		if failed == nil {
			return nil
		}
		// The object may be stored although the answer was lost or says otherwise, and another
		// write may be under way (409 at S3). So the stored object decides.
		there, err := o.get(context.WithoutCancel(ctx), key)
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

func (o objects) createOnce(ctx context.Context, key string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	err := o.bucket.Write(ctx, o.prefix+key, bytes.NewReader(data), true)
	o.stats.count("put", err)
	if err == nil {
		o.stats.sent(int64(len(data)))
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

// delete deletes an object, which may be missing.
func (o objects) delete(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	err := o.bucket.Delete(ctx, o.prefix+key)
	o.stats.count("delete", err)
	if isAnswer(err) {
		return nil
	}
	return classify("delete", key, err)
}

// object is one entry of a listing.
type object struct {
	key  string
	size int64
	at   time.Time
	dir  bool // a common prefix
}

// list calls visit with the objects below a prefix, in the order of their names, until it
// returns false. With a delimiter, names are cut at the first one after the prefix.
func (o objects) list(ctx context.Context, prefix, delimiter string, visit func(object) (bool, error)) error {
	return o.listFrom(ctx, Listing{Prefix: o.prefix + prefix, Delimiter: delimiter}, visit)
}

// firstAfter returns the name of the first object below a prefix that comes after a name in
// their order, or "".
func (o objects) firstAfter(ctx context.Context, prefix, after string) (key string, err error) {
	err = o.listFrom(ctx, Listing{Prefix: o.prefix + prefix, After: o.prefix + after}, func(found object) (bool, error) {
		if found.key > after {
			key = found.key
		}
		return key == "", nil
	})
	return key, err
}

func (o objects) listFrom(ctx context.Context, from Listing, visit func(object) (bool, error)) error {
	for {
		page, err := o.page(ctx, from)
		if err != nil {
			return err
		}
		for _, l := range page.Objects {
			more, err := visit(object{strings.TrimPrefix(l.Key, o.prefix), l.Size, l.Stored, l.IsPrefix})
			if err != nil || !more {
				return err
			}
		}
		if from.Token = page.Next; from.Token == "" {
			return nil
		}
	}
}

func (o objects) page(ctx context.Context, from Listing) (Page, error) {
	ctx, cancel := context.WithTimeout(ctx, smallTimeout)
	defer cancel()
	page, err := o.bucket.List(ctx, from)
	o.stats.count("list", err)
	return page, classify("list", strings.TrimPrefix(from.Prefix, o.prefix), err)
}
