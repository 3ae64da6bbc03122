package servers

import (
	"context"
	"net"
	"net/http"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
)

// A Forgetful is an S3 object store in memory that ignores the conditions of a write, as old and
// simple stores do: the second writer of an object wins. It accepts all keys.
type Forgetful struct {
	Address string
	server  *http.Server
}

// StartForgetful starts such a store with an empty bucket. gofakes3 itself respects If-None-Match
// since v0.0.12, so the header is removed first.
func StartForgetful() (*Forgetful, error) {
	objects := s3mem.New()
	if err := objects.CreateBucket(context.Background(), Bucket); err != nil {
		return nil, err
	}
	handler := gofakes3.New(objects).Server()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &Forgetful{Address: l.Addr().String(), server: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut || r.Method == http.MethodPost {
			r.Header.Del("If-None-Match")
			r.Header.Del("If-Match")
		}
		handler.ServeHTTP(w, r)
	})}}
	go func() { _ = f.server.Serve(l) }()
	return f, nil
}

// Stop stops the store, and all its objects are lost.
func (f *Forgetful) Stop() { _ = f.server.Close() }

// URL returns the value of the setting store for a prefix of the bucket.
func (f *Forgetful) URL(prefix string) string { return StoreURL(f.Address, prefix) }
