package storetest

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"mkt/publish/store"
	"mkt/publish/store/s3store"
	drivertest "mkt/publish/store/storetest"
)

// The driver for S3 passes what the others pass, but for a store that ignores conditions,
// which clients sign: see servers.StartForgetful.
func TestS3Driver(t *testing.T) {
	var buckets atomic.Int64
	drivertest.TestDriver(t, drivertest.Provider{
		// Every server is the gateway, and every bucket another.
		Serve: func(*testing.T, string) http.Handler {
			return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(&url.URL{Scheme: "http", Host: gateway.Address})
				r.Out.Host = r.In.Host // which is signed
			}}
		},
		Open: func(t *testing.T, address string) store.Bucket {
			name := fmt.Sprint("driver-", buckets.Add(1))
			must(t, os.Mkdir(filepath.Join(gateway.Dir, name), 0o755))
			q := url.Values{"region": {"us-east-1"}, "use_path_style": {"true"}, "endpoint": {"http://" + address}}
			b, err := s3store.Open(t.Context(), &url.URL{Scheme: "s3", Host: name, RawQuery: q.Encode()})
			must(t, err)
			return b
		},
		Refuse: func(w http.ResponseWriter, _ *http.Request, why drivertest.Refusal) {
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(why.Status)
			_ = xml.NewEncoder(w).Encode(struct {
				XMLName       xml.Name `xml:"Error"`
				Code, Message string
			}{Code: why.Code, Message: "canary of the store"})
		},
		NoBucket:     drivertest.Refusal{Status: http.StatusNotFound, Code: "NoSuchBucket"},
		Page:         1000,
		NoSumOfParts: true,
	})
}
