package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/serve"
)

// served runs a server with fixtures of 80 markets each, and returns its address and a
// token.
func served(b *testing.B, fixtures int) (w *world, address string) {
	b.Helper()
	w = newWorld(b, "acme")
	w.root("acme").PublishSamples(fixtures, 80)
	w.fetched("acme")
	return w, w.serveFor(b)
}

// serveFor runs a server until the benchmark ends and returns its address once
// there is data.
func (w *world) serveFor(b *testing.B) string {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		o := serve.Options{Listen: "127.0.0.1:0", DataDir: w.dataDir, CacheDir: b.TempDir(), Accounts: w.registry,
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Poll: time.Second, Ready: func(url string) { ready <- url }}
		if w.edit != nil {
			w.edit(&o)
		}
		done <- serve.Run(ctx, o)
	}()
	select {
	case w.url = <-ready:
	case err := <-done:
		b.Fatal(err)
	}
	b.Cleanup(func() { cancel(); must(b, <-done) })
	for deadline := time.Now().Add(30 * time.Minute); w.probe() != http.StatusOK; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatal("no data")
		}
	}
	return strings.TrimPrefix(w.url, "http://")
}

func (w *world) probe() int {
	r, err := w.sendPlain("/fixtures?limit=1", "acme")
	if err != nil {
		return 0
	}
	return r.status
}

// asker sends requests over one kept connection and discards the bodies, so that the client
// does as little work as possible.
type asker struct {
	conn   net.Conn
	reader *bufio.Reader
}

func newAsker(b *testing.B, address string) *asker {
	c, err := net.Dial("tcp", address)
	must(b, err)
	return &asker{c, bufio.NewReaderSize(c, 256<<10)}
}

func (a *asker) ask(head []byte) (int, error) {
	length, err := a.begin(head)
	if err == nil {
		_, err = a.reader.Discard(length)
	}
	return length, err
}

// body returns the body of an answer.
func (a *asker) body(head []byte) ([]byte, error) {
	length, err := a.begin(head)
	if err != nil {
		return nil, err
	}
	body := make([]byte, length)
	_, err = io.ReadFull(a.reader, body)
	return body, err
}

// begin sends a request, and returns the length of the body that follows.
func (a *asker) begin(head []byte) (length int, err error) {
	if _, err := a.conn.Write(head); err != nil {
		return 0, err
	}
	length = -1
	for first := true; ; first = false {
		line, err := a.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if first && string(line[9:12]) != "200" {
			return 0, fmt.Errorf("%s", line)
		}
		if len(line) == 2 {
			return length, nil
		}
		if rest, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(rest)); err != nil {
				return 0, err
			}
		}
	}
}

func head(path, token, more string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n" + more + "\r\n")
}

// hammer sends n requests over two connections, and returns the processor time of this process:
// of the server and of the client.
func hammer(b *testing.B, address string, request []byte, n int) time.Duration {
	b.Helper()
	before := processorTime()
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() {
			a := newAsker(b, address)
			defer a.conn.Close()
			for range (n + 1) / 2 {
				if _, err := a.ask(request); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	clients.Wait()
	return processorTime() - before
}

func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // cannot fail for this process
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkCachedPage measures cached pages of fixtures and of 50 markets, compared with echo
// writing the same bytes. Both answer in turn, and the ratio of the processor times does not
// depend on how busy the machine is.
func BenchmarkCachedPage(b *testing.B) {
	w, address := served(b, 100)
	for name, path := range map[string]string{"fixtures": "/fixtures?limit=15", "markets": "/fixtures/" + servetest.FixtureID("acme", 7) + "/markets"} {
		r, err := w.sendPlain(path, "acme")
		must(b, err)
		other := echoOf(b, []byte(r.body))
		ours := head("/api/v1"+path, w.tokens["acme"], "")
		b.Run(name, func(b *testing.B) {
			const each = 1000
			var cost, beside time.Duration
			for b.Loop() {
				cost += hammer(b, address, ours, each)
				beside += hammer(b, other, head("/page", "x", ""), each)
			}
			perAnswer := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(each*b.N) }
			b.ReportMetric(perAnswer(cost), "µs/answer")
			b.ReportMetric(perAnswer(beside), "µs/answer-of-echo")
			b.ReportMetric(float64(beside)/float64(cost), "ratio")
		})
		b.Run(name+"-gzip", func(b *testing.B) {
			b.ReportMetric(float64(hammer(b, address, head("/api/v1"+path, w.tokens["acme"], "Accept-Encoding: gzip\r\n"), b.N).Microseconds())/float64(b.N), "µs/answer")
		})
	}
}

func echoOf(b *testing.B, body []byte) string {
	e := echo.New()
	e.GET("/page", func(c echo.Context) error {
		c.Response().Header().Set("Content-Length", strconv.Itoa(len(body))) // else it is sent in chunks
		return c.Blob(http.StatusOK, "application/json", body)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	server := &http.Server{Handler: e}
	go server.Serve(l)
	b.Cleanup(func() { server.Close() })
	return l.Addr().String()
}

// BenchmarkColdPage measures a page of 50 markets that is not cached, over HTTP, one at a
// time.
func BenchmarkColdPage(b *testing.B) {
	for _, fixtures := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(fixtures), func(b *testing.B) {
			if fixtures > 1_000 {
				needs.Env(b, "MKT_BENCH_LARGE", "1, for minutes and gigabytes")
			}
			w, address := served(b, fixtures)
			for name, more := range map[string]string{"identity": "", "gzip": "Accept-Encoding: gzip\r\n"} {
				b.Run(name, func(b *testing.B) {
					a := newAsker(b, address)
					defer a.conn.Close()
					n, limit := 0, 0
					for b.Loop() {
						n = (n + 7919) % fixtures
						limit = (limit + 1) % 10 // a page that was shown before is another page
						id := servetest.FixtureID("acme", n)
						size, err := a.ask(head("/api/v1/fixtures/"+id+"/markets?limit="+strconv.Itoa(45+limit), w.tokens["acme"], more))
						must(b, err)
						b.SetBytes(int64(size))
					}
				})
			}
			b.Logf("resident memory %d MiB", check.Resident(b, os.Getpid())>>20)
		})
	}
}

// BenchmarkTenantMemory reports the memory of each further tenant of 50 fixtures.
func BenchmarkTenantMemory(b *testing.B) {
	const tenants = 50
	w := published(b, 50, 80)
	for n := range tenants {
		id := fmt.Sprint("tenant", n)
		w.add(id, nil)
		w.publish(id, 50, 80, 1)
	}
	before := check.Resident(b, os.Getpid())
	w.serveFor(b)
	time.Sleep(2 * time.Second)
	for b.Loop() {
	}
	after := check.Resident(b, os.Getpid())
	b.ReportMetric(float64(after)/(1<<20), "MB")
	b.ReportMetric(float64(after-before)/(1<<20)/tenants, "MB/tenant")
}

// BenchmarkIdleMemory reports the memory of an idle server of 2,000 fixtures with
// 80 markets each.
func BenchmarkIdleMemory(b *testing.B) {
	served(b, 2_000)
	time.Sleep(2 * time.Second)
	for b.Loop() {
	}
	b.ReportMetric(float64(check.Resident(b, os.Getpid()))/(1<<20), "MB")
}

// BenchmarkLivePage measures a page of 50 fixtures in play and one fixture's timeline over
// HTTP, one at a time, with few and with many in play.
func BenchmarkLivePage(b *testing.B) {
	for _, fixtures := range []int{60, 300, 2_000} {
		w := newWorld(b)
		w.add("acme", nil)
		w.fetched("acme")
		w.publishLive("acme", fixtures)
		w.start()
		a := newAsker(b, strings.TrimPrefix(w.url, "http://"))
		for name, path := range map[string]string{"list": "/live", "timeline": "/live/" + servetest.FixtureID("acme", 0) + "/timeline"} {
			b.Run(fmt.Sprint(fixtures, "/", name), func(b *testing.B) {
				for b.Loop() {
					n, err := a.ask(head("/api/v1"+path, w.tokens["acme"], ""))
					must(b, err)
					b.SetBytes(int64(n))
				}
			})
		}
		a.conn.Close()
	}
}
