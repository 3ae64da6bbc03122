package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"mkt/cluster/servers"
	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/cluster/store/s3store"
)

// refusal is the answer of a store that refuses a request.
type refusal struct {
	Status int
	Code   string
}

// pageSize is the number of names in one page of the gateway's listing.
const pageSize = 1000

// big is the size of an object that every driver sends in parts.
const big = 16<<20 + 12345

// pattern is in every object of the tests.
const pattern = "the bytes of an object; "

func contentOf(size int) []byte {
	return append(bytes.Repeat([]byte{'x'}, size-len(pattern)), pattern...)
}

// The driver for S3 keeps the promises of [object.Bucket], also when requests, answers and parts of them are
// lost or damaged on the way. A store that ignores conditions is another test: clients sign them.
func TestS3Driver(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *driver)
	}{
		{"objects", testObjects},
		{"names", testNames},
		{"listings", testListings},
		{"only if absent", testOnlyIfAbsent},
		{"writers at once", testWritersAtOnce},
		{"bodies that fail", testFailingBodies},
		{"lost requests", func(t *testing.T, d *driver) { testLost(t, d, fault{dropRequest: true}) }},
		{"lost answers", func(t *testing.T, d *driver) { testLost(t, d, fault{dropAnswer: true}) }},
		{"failures for a while", func(t *testing.T, d *driver) {
			testLost(t, d, fault{refuse: &refusal{http.StatusServiceUnavailable, "ServerBusy"}})
		}},
		{"truncated answers", testTruncated},
		{"damaged on the way", testDamaged},
		{"refusals", testRefusals},
		{"deadlines", testDeadlines},
		{"probe", testProbe},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, newDriver(t))
		})
	}
}

// driver is a bucket with the network between it and its server.
type driver struct {
	object.Bucket
	*network
}

// buckets counts the buckets of the drivers. Each driver has its own.
var buckets atomic.Int64

func newDriver(t *testing.T) *driver {
	t.Helper()
	w := &network{server: &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: gateway.Address})
		r.Out.Host = r.In.Host // which is signed
	}}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	name := fmt.Sprint("driver-", buckets.Add(1))
	must(t, os.Mkdir(filepath.Join(gateway.Dir, name), 0o755))
	q := url.Values{"region": {"us-east-1"}, "use_path_style": {"true"}, "endpoint": {server.URL}}
	b, err := s3store.Open(t.Context(), &url.URL{Scheme: "s3", Host: name, RawQuery: q.Encode()})
	must(t, err)
	t.Cleanup(func() { b.Close() })
	return &driver{b, w}
}

func (d *driver) write(t *testing.T, key string, data []byte) {
	t.Helper()
	if err := d.Write(t.Context(), key, bytes.NewReader(data), false); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
}

func (d *driver) read(ctx context.Context, key string) ([]byte, error) {
	r, a, err := d.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err == nil && a.Size != int64(len(data)) {
		err = fmt.Errorf("its size is said to be %d, and is %d", a.Size, len(data))
	}
	return data, err
}

func (d *driver) has(t *testing.T, key string, want []byte) {
	t.Helper()
	if got, err := d.read(t.Context(), key); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s: %d bytes, want %d: %v", key, len(got), len(want), err)
	}
}

func kindOf(err error) (object.Kind, bool) {
	var e *object.Error
	if errors.As(err, &e) {
		return e.Kind, true
	}
	return object.Away, false
}

func wantKind(t *testing.T, what string, err error, want object.Kind) {
	t.Helper()
	if got, _ := kindOf(err); err == nil || got != want {
		t.Errorf("%s: %v, want %v", what, err, &object.Error{Kind: want})
	}
}

func testObjects(t *testing.T, d *driver) {
	for _, size := range []int{0, len(pattern), 5 << 20, 8 << 20, 16 << 20, big} {
		key, data := fmt.Sprint("a/", size), []byte{}
		if size > 0 {
			data = contentOf(size)
		}
		d.write(t, key, data)
		d.has(t, key, data)
		a, err := d.Look(t.Context(), key)
		if err != nil || a.Size != int64(size) || time.Since(a.Stored).Abs() > time.Minute {
			t.Errorf("%s: %+v %v", key, a, err)
		}
	}
	d.write(t, "a/0", contentOf(100))
	d.has(t, "a/0", contentOf(100))
	if err := d.Delete(t.Context(), "a/0"); err != nil {
		t.Error(err)
	}
	_, err := d.read(t.Context(), "a/0")
	wantKind(t, "read", err, object.Absent)
	_, err = d.Look(t.Context(), "a/0")
	wantKind(t, "look", err, object.Absent)
	if err := d.Delete(t.Context(), "a/0"); err != nil {
		wantKind(t, "delete", err, object.Absent)
	}
}

func testNames(t *testing.T, d *driver) {
	for _, key := range []string{"client_id=a-b/product=market_engine/commits/00000000000000000001.json", "a b+c%2F&d=e?f#g", "Straße/東京~!$'()*,;:@"} {
		d.write(t, key, contentOf(100))
		d.has(t, key, contentOf(100))
		page, err := d.List(t.Context(), object.Listing{Prefix: key})
		if err != nil || len(page.Objects) != 1 || page.Objects[0].Key != key {
			t.Errorf("%q is listed as %+v: %v", key, page.Objects, err)
		}
	}
}

// all returns the names of a listing. Prefixes end with an asterisk.
func (d *driver) all(t *testing.T, from object.Listing) (names []string) {
	t.Helper()
	for pages := 1; ; pages++ {
		page, err := d.List(t.Context(), from)
		if err != nil || pages > 100 {
			t.Fatal(pages, err)
		}
		for _, o := range page.Objects {
			if o.IsPrefix {
				o.Key += "*"
			} else if o.Size != int64(len(pattern)) || time.Since(o.Stored).Abs() > time.Minute {
				t.Errorf("%+v", o)
			}
			names = append(names, o.Key)
		}
		if from.Token = page.Next; from.Token == "" {
			return names
		}
	}
}

func testListings(t *testing.T, d *driver) {
	var want, after []string
	var group sync.WaitGroup
	places := make(chan bool, 8)
	for i := range pageSize + 5 {
		key := fmt.Sprintf("p/%05d", i)
		want = append(want, key)
		places <- true
		group.Go(func() {
			if err := d.Write(t.Context(), key, strings.NewReader(pattern), false); err != nil {
				t.Error(err)
			}
			<-places
		})
	}
	group.Wait()
	for _, key := range []string{"p/00000.x/1", "p/00000.x/2", "p/z/1", "q/1"} {
		d.write(t, key, []byte(pattern))
	}
	cut := append(slices.Clone(want[:1]), "p/00000.x/*")
	cut = append(append(cut, want[1:]...), "p/z/*")
	if got := d.all(t, object.Listing{Prefix: "p/", Delimiter: "/"}); !slices.Equal(got, cut) {
		t.Errorf("%d names, want %d: %q", len(got), len(cut), got)
	}
	if got := d.all(t, object.Listing{Delimiter: "/"}); !slices.Equal(got, []string{"p/*", "q/*"}) {
		t.Errorf("%q", got)
	}
	for _, key := range d.all(t, object.Listing{Prefix: "p/0", After: want[3]}) {
		if key > want[3] {
			after = append(after, key)
		}
	}
	if !slices.Equal(after, want[4:]) {
		t.Errorf("%d names after %s, want %d", len(after), want[3], len(want[4:]))
	}
	if got := d.all(t, object.Listing{Prefix: "none/"}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func testOnlyIfAbsent(t *testing.T, d *driver) {
	for _, size := range []int{100, big} {
		key, first := fmt.Sprint(size), contentOf(size)
		if err := d.Write(t.Context(), key, bytes.NewReader(first), true); err != nil {
			t.Error(err)
		}
		for _, other := range []int{size, 200} {
			wantKind(t, "again", d.Write(t.Context(), key, bytes.NewReader(contentOf(other)), true), object.Exists)
		}
		d.has(t, key, first)
		if err := d.Delete(t.Context(), key); err != nil {
			t.Error(err)
		}
		if err := d.Write(t.Context(), key, bytes.NewReader(first), true); err != nil {
			t.Errorf("after it was deleted: %v", err)
		}
	}
}

func testWritersAtOnce(t *testing.T, d *driver) {
	for round := range 5 {
		key := fmt.Sprint(round)
		var wins atomic.Int32
		var winner atomic.Value
		var group sync.WaitGroup
		for i := range 8 {
			group.Go(func() {
				data := append([]byte(fmt.Sprint(i)), pattern...)
				err := d.Write(t.Context(), key, bytes.NewReader(data), true)
				if err == nil {
					wins.Add(1)
					winner.Store(data)
					return
				}
				wantKind(t, "another", err, object.Exists)
			})
		}
		group.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d writers were told that they made the object", wins.Load())
		}
		d.has(t, key, winner.Load().([]byte))
	}
}

func testFailingBodies(t *testing.T, d *driver) {
	for _, size := range []int{100, 8 << 20, big} {
		for name, why := range map[string]error{"early": io.ErrUnexpectedEOF, "own": errors.New("own"), "within": fmt.Errorf("a file: %w", io.EOF)} {
			key := fmt.Sprint(name, size)
			body := io.MultiReader(bytes.NewReader(contentOf(size)), iotest.ErrReader(why))
			if err := d.Write(t.Context(), key, body, false); err == nil {
				t.Errorf("%s: stored", key)
			}
			_, err := d.Look(t.Context(), key)
			wantKind(t, key, err, object.Absent)
		}
	}
}

// testLost: nobody notices a fault in one request of an operation. Only if the object must be
// absent, a driver may find the one it stored itself.
func testLost(t *testing.T, d *driver, f fault) {
	for _, size := range []int{100, big} {
		data := contentOf(size)
		for _, onlyIfAbsent := range []bool{false, true} {
			if size == big && onlyIfAbsent && !f.dropAnswer {
				continue // as if it need not be absent
			}
			for n, last := 1, false; !last && n < 20; n++ {
				key := fmt.Sprint(size, onlyIfAbsent, n)
				var hit atomic.Bool
				d.inject(func(i int, r *http.Request) (none fault) {
					if i == n {
						hit.Store(true)
						return f
					}
					return none
				})
				err := d.Write(t.Context(), key, bytes.NewReader(data), onlyIfAbsent)
				last = !hit.Load()
				d.inject(nil)
				if kind, _ := kindOf(err); err != nil && !(onlyIfAbsent && f.dropAnswer && kind == object.Exists) {
					t.Errorf("%s: %v", key, err)
				}
				d.has(t, key, data)
			}
		}
	}
	first := func(n int, _ *http.Request) (none fault) {
		if n == 1 {
			return f
		}
		return none
	}
	d.write(t, "there", contentOf(100))
	d.inject(first)
	d.has(t, "there", contentOf(100))
	d.inject(first)
	if _, err := d.Look(t.Context(), "there"); err != nil {
		t.Error(err)
	}
	d.inject(first)
	if got := d.all(t, object.Listing{Prefix: "nothing"}); len(got) > 0 {
		t.Errorf("%q", got)
	}
	d.inject(first)
	if err := d.Delete(t.Context(), "there"); err != nil {
		wantKind(t, "delete", err, object.Absent)
	}
	d.inject(nil)
	_, err := d.Look(t.Context(), "there")
	wantKind(t, "look", err, object.Absent)
}

func testTruncated(t *testing.T, d *driver) {
	for _, size := range []int{1000, big} {
		key := fmt.Sprint(size)
		d.write(t, key, contentOf(size))
		d.inject(func(_ int, r *http.Request) fault { return fault{truncate: r.Method == http.MethodGet} })
		got, err := d.read(t.Context(), key)
		if kind, _ := kindOf(err); err == nil || kind == object.Damaged || len(got) >= size {
			t.Errorf("%d of %d bytes: %v", len(got), size, err)
		}
		d.inject(nil)
		d.has(t, key, contentOf(size))
	}
}

func testDamaged(t *testing.T, d *driver) {
	for _, size := range []int{1000, big} {
		key := fmt.Sprint("read ", size)
		d.write(t, key, contentOf(size))
		d.inject(func(_ int, r *http.Request) fault { return fault{flipAnswer: r.Method == http.MethodGet} })
		if size < big { // the gateway has no checksum of an object stored in parts
			_, err := d.read(t.Context(), key)
			wantKind(t, key, err, object.Damaged)
		}
		d.inject(func(_ int, r *http.Request) fault { return fault{flipBody: true} })
		key = fmt.Sprint("write ", size)
		if err := d.Write(t.Context(), key, bytes.NewReader(contentOf(size)), true); err == nil {
			t.Errorf("%s: another bit was stored", key)
		}
		d.inject(nil)
		if got, err := d.read(t.Context(), key); err == nil {
			t.Errorf("%s: %d bytes are there", key, len(got))
		}
	}
}

func testRefusals(t *testing.T, d *driver) {
	d.write(t, "there", contentOf(100))
	for _, c := range []struct {
		answer refusal
		want   object.Kind
		head   bool // also without the code
	}{
		{refusal{http.StatusForbidden, "AccessDenied"}, object.Denied, true},
		{refusal{http.StatusUnauthorized, "InvalidAuthenticationInfo"}, object.Denied, true},
		{refusal{http.StatusNotFound, "NoSuchBucket"}, object.NoBucket, false},
		{refusal{http.StatusInsufficientStorage, "InsufficientStorage"}, object.Full, true},
		{refusal{http.StatusNotImplemented, "NotImplemented"}, object.Unsafe, true},
		{refusal{http.StatusServiceUnavailable, "SlowDown"}, object.Away, true},
	} {
		d.inject(func(int, *http.Request) fault { return fault{refuse: &c.answer} })
		name := fmt.Sprint(c.answer)
		errs := map[string]error{
			"write": d.Write(t.Context(), "new", strings.NewReader(pattern), true),
			"large": d.Write(t.Context(), "new", bytes.NewReader(contentOf(big)), false),
		}
		_, errs["list"] = d.List(t.Context(), object.Listing{Prefix: "t"})
		if c.want != object.NoBucket {
			_, _, errs["read"] = d.Read(t.Context(), "there")
			errs["delete"] = d.Delete(t.Context(), "there")
		}
		if c.head {
			_, errs["look"] = d.Look(t.Context(), "there")
		}
		for op, err := range errs {
			wantKind(t, name+" "+op, err, c.want)
			var own *object.Error
			if !errors.As(err, &own) || own.Status != c.answer.Status {
				t.Errorf("%s %s: %v has not the status of the answer", name, op, err)
			}
		}
	}
	d.inject(nil)
	d.has(t, "there", contentOf(100))
	_, err := d.Look(t.Context(), "new")
	wantKind(t, "new", err, object.Absent)
}

func testDeadlines(t *testing.T, d *driver) {
	d.write(t, "there", contentOf(100))
	d.inject(func(int, *http.Request) fault { return fault{delay: time.Minute} })
	for name, op := range map[string]func(context.Context) error{
		"read": func(ctx context.Context) error { _, _, err := d.Read(ctx, "there"); return err },
		"look": func(ctx context.Context) error { _, err := d.Look(ctx, "there"); return err },
		"list": func(ctx context.Context) error { _, err := d.List(ctx, object.Listing{}); return err },
		"write": func(ctx context.Context) error {
			return d.Write(ctx, "new", strings.NewReader(pattern), true)
		},
		"delete": func(ctx context.Context) error { return d.Delete(ctx, "there") },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		began := time.Now()
		err := op(ctx)
		cancel()
		if kind, own := kindOf(err); err == nil || own && kind != object.Away || time.Since(began) > 20*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if err := op(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s that nobody waits for: %v", name, err)
		}
	}
	d.inject(nil)
}

func testProbe(t *testing.T, d *driver) {
	s := store.New(d.Bucket, store.Options{})
	if err := s.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	if left := d.all(t, object.Listing{}); len(left) > 0 {
		t.Errorf("the probe left %q", left)
	}
	for name, f := range map[string]fault{"refused": {refuse: &refusal{http.StatusForbidden, "AccessDenied"}}, "lost": {dropRequest: true}} {
		d.inject(func(int, *http.Request) fault { return f })
		err := s.Probe(t.Context())
		if err == nil || strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "http") || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A store at which nobody listens, and one that speaks no TLS.
func TestStoreAtAWrongAddress(t *testing.T) {
	t.Parallel()
	closed, err := servers.StartProxy(gateway.Address)
	must(t, err)
	closed.Stop()
	for name, url := range map[string]string{"nobody listens": closed.URL("x"), "no TLS": strings.Replace(gateway.URL("x"), "http%3A", "https%3A", 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := openStore(t, url).Probe(t.Context())
			if discreet(t, gateway.Address, err); !errors.Is(err, object.ErrAway) {
				t.Errorf("%v, want ErrAway", err)
			}
		})
	}
}
