// Package storetest has a bucket in memory, for tests of packages that use package store, and
// the tests of every driver.
package storetest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/cluster/store/object"
)

// Memory is a bucket in memory. Safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	objects map[string]stored
	failing error
}

type stored struct {
	data []byte
	at   time.Time
}

// NewMemory returns an empty bucket.
func NewMemory() *Memory { return &Memory{objects: map[string]stored{}} }

// Fail makes all operations fail with an error, or work again if it is nil.
func (m *Memory) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = err
}

// Close makes all operations fail.
func (m *Memory) Close() error {
	m.Fail(&object.Error{Kind: object.Away})
	return nil
}

func (m *Memory) find(key string) (stored, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o, ok := m.objects[key]
	switch {
	case m.failing != nil:
		return o, m.failing
	case !ok:
		return o, &object.Error{Kind: object.Absent}
	}
	return o, nil
}

// Read implements [object.Bucket].
func (m *Memory) Read(_ context.Context, key string) (io.ReadCloser, object.Attributes, error) {
	o, err := m.find(key)
	return io.NopCloser(bytes.NewReader(o.data)), object.Attributes{Size: int64(len(o.data)), Stored: o.at}, err
}

// Look implements [object.Bucket].
func (m *Memory) Look(_ context.Context, key string) (object.Attributes, error) {
	o, err := m.find(key)
	return object.Attributes{Size: int64(len(o.data)), Stored: o.at}, err
}

// Write implements [object.Bucket].
func (m *Memory) Write(_ context.Context, key string, body io.Reader, onlyIfAbsent bool) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failing != nil {
		return m.failing
	}
	if _, there := m.objects[key]; there && onlyIfAbsent {
		return &object.Error{Kind: object.Exists}
	}
	m.objects[key] = stored{data, time.Now()}
	return nil
}

// Delete implements [object.Bucket].
func (m *Memory) Delete(_ context.Context, key string) error {
	if _, err := m.find(key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, key)
	return nil
}

// List implements [object.Bucket], in pages of few names.
func (m *Memory) List(_ context.Context, from object.Listing) (object.Page, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var page object.Page
	last := ""
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		if !strings.HasPrefix(key, from.Prefix) {
			continue
		}
		entry := object.Object{Key: key, Attributes: object.Attributes{Size: int64(len(m.objects[key].data)), Stored: m.objects[key].at}}
		if end := strings.Index(key[len(from.Prefix):], from.Delimiter); from.Delimiter != "" && end >= 0 {
			entry = object.Object{Key: key[:len(from.Prefix)+end+len(from.Delimiter)], IsPrefix: true}
		}
		if entry.Key <= from.Token || entry.Key == last || entry.Key <= from.After && !entry.IsPrefix {
			continue
		}
		if len(page.Objects) == 10 {
			page.Next = last
			break
		}
		page.Objects, last = append(page.Objects, entry), entry.Key
	}
	return page, m.failing
}

// Keys returns the names of the objects below a prefix.
func (m *Memory) Keys(prefix string) (keys []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key := range m.objects {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// Get returns an object, which must exist.
func (m *Memory) Get(t testing.TB, key string) []byte {
	t.Helper()
	o, err := m.find(key)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return bytes.Clone(o.data)
}

// Set stores an object, and replaces one of its name.
func (m *Memory) Set(t testing.TB, key string, data []byte) {
	t.Helper()
	if err := m.Write(t.Context(), key, bytes.NewReader(data), false); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

// Remove deletes an object, which must exist.
func (m *Memory) Remove(t testing.TB, key string) {
	t.Helper()
	if err := m.Delete(t.Context(), key); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}
