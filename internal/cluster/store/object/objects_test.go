package object

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"mkt/publish/durable"
)

// taking is a bucket that takes all of a body.
type taking struct {
	Bucket
	data []byte
	err  error
}

func (b *taking) Write(_ context.Context, _ string, body io.Reader, _ bool) error {
	b.data, b.err = io.ReadAll(body)
	return b.err
}

// A source that ends early is not stored as an object that ends there, whatever its error is.
func TestPutOfWhatEndsEarly(t *testing.T) {
	for _, why := range []error{io.EOF, io.ErrUnexpectedEOF, errors.New("another")} {
		b := new(taking)
		err := Set{Bucket: b}.Put(t.Context(), "key", func(w io.Writer) error {
			_, _ = w.Write([]byte("half"))
			return why
		})
		if !errors.Is(err, why) || b.err == nil {
			t.Errorf("%v: %v, and %q is stored", why, err, b.data)
		}
	}
	b := new(taking)
	if err := (Set{Bucket: b}).Put(t.Context(), "key", durable.Bytes([]byte("whole"))); err != nil || !bytes.Equal(b.data, []byte("whole")) {
		t.Errorf("%q %v", b.data, err)
	}
}

// A bucket that is content with a part of an object has not stored it.
func TestPutOfWhichAPartIsTaken(t *testing.T) {
	if err := (Set{Bucket: hasty{}}).Put(t.Context(), "key", durable.Bytes(make([]byte, 1<<20))); !errors.Is(err, ErrAway) {
		t.Errorf("%v, want ErrAway", err)
	}
}

type hasty struct{ Bucket }

func (hasty) Write(_ context.Context, _ string, body io.Reader, _ bool) error {
	_, err := body.Read(make([]byte, 10))
	return err
}
