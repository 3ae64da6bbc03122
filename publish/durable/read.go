package durable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
)

// ReadFile reads a whole file of at most max bytes; a larger one is [ErrTooLarge].
func ReadFile(f ReadFS, name string, max int64) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Size() > max {
		return nil, fmt.Errorf("%s: %d bytes: %w", name, r.Size(), ErrTooLarge)
	}
	data := make([]byte, 0, r.Size()+1)
	for err == nil && int64(len(data)) <= max {
		if len(data) == cap(data) { // it grows
			data = append(data, 0)[:len(data)]
		}
		var n int
		n, err = r.Read(data[len(data):min(int64(cap(data)), max+1)])
		data = data[:len(data)+n]
	}
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%s: %w", name, ErrTooLarge)
	}
	return data, nil
}

// portion is the number of bytes of a file read at once.
const portion = 64 << 10

var portions = sync.Pool{New: func() any { return new([portion]byte) }}

// HashFile reads a file to its end and returns its length and its SHA-256 in lower-case
// hex.
func HashFile(f ReadFS, name string) (size int64, sum string, err error) {
	r, err := f.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer r.Close()
	h := sha256.New()
	buffer := portions.Get().(*[portion]byte)
	defer portions.Put(buffer)
	size, err = io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{r}, buffer[:])
	if err != nil {
		return 0, "", fmt.Errorf("read %s: %w", name, err)
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// Hash is the SHA-256 of data, in the form of [HashFile].
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Exists reports whether a name exists.
func Exists(f ReadFS, name string) (bool, error) {
	_, err := f.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// SameFile reports whether two files have the same bytes.
func SameFile(f ReadFS, a, b string) (bool, error) {
	ra, err := f.Open(a)
	if err != nil {
		return false, err
	}
	defer ra.Close()
	rb, err := f.Open(b)
	if err != nil {
		return false, err
	}
	defer rb.Close()
	if ra.Size() != rb.Size() {
		return false, nil
	}
	return sameBytes(ra, rb)
}

func sameBytes(a, b io.Reader) (bool, error) {
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(a, bufA)
		m, errB := io.ReadFull(b, bufB)
		if n != m || !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return true, nil
		case err != nil:
			return false, err
		case errB != nil:
			return false, errB
		}
	}
}
