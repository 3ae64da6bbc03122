package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mkt/internal/check"
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
