package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/testing/check"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// A file that the snapshot shares with the canonical rows counts once, as canonical.
func TestOnDiskCountsLinksOnce(t *testing.T) {
	root := t.TempDir()
	product := filepath.Join(root, "client_id=a", "product=market_engine")
	write := func(name string, size int) {
		name = filepath.Join(product, name)
		check.Must(t, os.MkdirAll(filepath.Dir(name), 0o700))
		check.Must(t, os.WriteFile(name, make([]byte, size), 0o600))
	}
	write("raw/cycle=1/fetch.json", 1)
	write("snapshots/cycle=1/manifest.json", 10)
	write("canonical/cycle=1/markets.parquet", 100)
	write("CURRENT", 1000)
	check.Must(t, os.Link(filepath.Join(product, "canonical/cycle=1/markets.parquet"), filepath.Join(product, "snapshots/cycle=1/markets.parquet")))
	got, err := onDisk(root)
	check.Must(t, err)
	for folder, want := range map[string]int64{"raw": 1, "canonical": 100, "snapshots": 10, "": 1000} {
		if got[folder] != want {
			t.Errorf("%q has %d bytes, want %d", folder, got[folder], want)
		}
	}
}

// The answers of a cycle are unpacked as fetch archived them, into a folder for each endpoint.
func TestUnpackCycle(t *testing.T) {
	index := archive(t, "bet365/upcoming", "bet365/prematch", "bet365/prematch")
	folder := t.TempDir()
	endpoints, err := unpackCycle(index, 7, folder)
	check.Must(t, err)
	if want := []string{"upcoming", "prematch", "prematch"}; !slices.Equal(endpoints, want) {
		t.Errorf("the endpoints are %q, want %q", endpoints, want)
	}
	for n, name := range []string{"upcoming/7-000000.json", "prematch/7-000001.json", "prematch/7-000002.json"} {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if want := body(n); err != nil || string(got) != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
}

// An index that lacks an answer of the archive is damaged; the error names the answer.
func TestUnpackCycleOfAnotherIndex(t *testing.T) {
	index := archive(t, "bet365/upcoming", "bet365/prematch")
	text, err := os.ReadFile(index)
	check.Must(t, err)
	check.Must(t, os.WriteFile(index, []byte(strings.Replace(string(text), "responses/000002", "responses/000009", 1)), 0o600))
	_, err = unpackCycle(index, 0, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "responses/000002") || !strings.Contains(err.Error(), "fetch.json") {
		t.Errorf("the error is %v", err)
	}
}

// archive seals a cycle with an answer of each endpoint, and returns the name of its index.
func archive(t *testing.T, endpoints ...string) (index string) {
	t.Helper()
	dir, began := t.TempDir(), time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	disk, err := durable.OpenRoot(dir)
	check.Must(t, err)
	defer disk.Close()
	id := layout.NewCycleID(began, string(football.MarketEngine))
	w, err := raw.Create(disk, id, nil)
	check.Must(t, err)
	for n, endpoint := range endpoints {
		_, err := w.Add(raw.Response{Endpoint: endpoint, Path: "/v1/" + endpoint, Attempt: 1, Status: 200, FetchedAt: began}, []byte(body(n)))
		check.Must(t, err)
	}
	_, err = w.Seal(raw.Cycle{ClientID: "acme", Product: football.MarketEngine, Provider: "betsapi", StartedAt: began, FinishedAt: began, Outcome: raw.Complete, ListingComplete: true})
	check.Must(t, err)
	return filepath.Join(dir, layout.Cycle(layout.RawDir, id), layout.RawFetchFile)
}

func body(n int) string { return fmt.Sprintf(`{"success":1,"results":[%d]}`, n) }

func TestParseWrk(t *testing.T) {
	const good = `Running 4s test @ http://127.0.0.1:1/
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   433.51us    1.02ms  31.26ms   95.18%
  Latency Distribution
     50%  214.00us
     75%  403.00us
     90%  712.00us
     99%    4.57ms
  206424 requests in 4.10s, 1.21GB read
Requests/sec:  50347.45
Transfer/sec:    302.04MB
`
	r, err := parseWrk([]byte(good))
	check.Must(t, err)
	if want := (result{206424, 50347.45, 214 * time.Microsecond, 4570 * time.Microsecond}); r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
	for _, bad := range []string{"", good + "  Non-2xx or 3xx responses: 3\n", good + "  Socket errors: connect 0, read 1, write 0, timeout 0\n"} {
		if r, err := parseWrk([]byte(bad)); err == nil {
			t.Errorf("no error but %+v for %q", r, bad)
		}
	}
}

func TestParseBenchmarks(t *testing.T) {
	got := parseBenchmarks([]byte(`goos: linux
BenchmarkFanOut/ours-2         	       1	32123456789 ns/op	      6903 B/conn-idle	        71.5 ms-p99
BenchmarkFanOut/official       	       1	32123456789 ns/op	     12000 B/conn-idle
PASS
`))
	if ours := got["BenchmarkFanOut/ours"]; ours["B/conn-idle"] != 6903 || ours["ms-p99"] != 71.5 || got["BenchmarkFanOut/official"]["B/conn-idle"] != 12000 {
		t.Errorf("got %v", got)
	}
}

func TestRatesCompareWithinRounds(t *testing.T) {
	ours, beside := rates{rate: figures{50, 10, 30}}, rates{rate: figures{100, 40, 30}}
	if got, want := ours.over(&beside), "0.50 (0.25 to 1.00)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := (figures{3, 1, 2, 4}).median(), 2.5; got != want {
		t.Errorf("the median is %v, want %v", got, want)
	}
}
