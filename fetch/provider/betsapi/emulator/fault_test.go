package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/fetch/simulator"
)

// faulty starts a simulator with a constant fault, and returns a function
// that asks it over real HTTP and returns the answer.
func faulty(t *testing.T, fault string) (*simulator.Server, func(path string) got) {
	t.Helper()
	f, err := simulator.ParseFault(fault)
	if err != nil {
		t.Fatal(err)
	}
	sim := simulated(t, simulator.Options{Seed: 2, Fixtures: 70, Faults: []simulator.Fault{f}})
	url, _, err := simulator.Listen(t.Context(), sim, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return sim, func(path string) got {
		ctx, giveUp := context.WithCancel(t.Context())
		defer giveUp()
		if f.Kind == simulator.Timeout {
			go func() {
				for sim.Faults()[f.Kind] == 0 && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				time.AfterFunc(patience, giveUp)
			}()
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+path+"&token="+sim.Tokens()[0], nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		res, err := client.Do(r)
		if err != nil {
			return got{err: err}
		}
		defer res.Body.Close()
		if f.Kind == simulator.Slow {
			time.AfterFunc(patience, giveUp)
		}
		head, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
		rest, more := io.Copy(io.Discard, res.Body)
		return got{res.StatusCode, res.Header, string(head), int64(len(head)) + rest, time.Since(began), errors.Join(err, more)}
	}
}

// patience is how long a test waits for an answer that does not come, or not to its end. It begins
// when the request has reached the simulator, so a busy machine does not use it up.
const patience = 300 * time.Millisecond

// got is an answer over the wire: at most a megabyte of it is kept.
type got struct {
	status int
	header http.Header
	body   string
	size   int64
	took   time.Duration
	err    error
}

const (
	askListing = "/v1/bet365/upcoming?sport_id=1"
	askMarkets = "/v4/bet365/prematch?FI="
)

// someIDs are fixtures that have markets.
func someIDs(sim *simulator.Server) string {
	var ids []string
	for _, f := range sim.Listed(sim.Tokens()[0]) {
		if len(ids) < 5 && len(sim.Meant(sim.Tokens()[0], f.ID)) > 0 {
			ids = append(ids, f.ID)
		}
	}
	return strings.Join(ids, ",")
}

func TestFaultsOfTheTransport(t *testing.T) {
	for fault, check := range map[string]func(g got) bool{
		"timeout:1": func(g got) bool { return g.status == 0 && errors.Is(g.err, context.Canceled) },
		"slow:1": func(g got) bool {
			return g.status == 200 && errors.Is(g.err, context.Canceled) && g.size <= 2+int64(g.took/time.Second)
		},
		"reset:1":    func(g got) bool { return errors.Is(g.err, syscall.ECONNRESET) || errors.Is(g.err, io.EOF) },
		"redirect:1": func(g got) bool { return g.status == 302 && strings.Contains(g.header.Get("Location"), "169.254.") },
		"huge:1":     func(g got) bool { return g.status == 200 && g.size > 64<<20 },
		"bomb:1":     func(g got) bool { return g.status == 200 && g.size == 1<<30 },
		"nested:1":   func(g got) bool { return strings.Count(g.body, "[") == 100_000 },
	} {
		if testing.Short() && (fault == "bomb:1" || fault == "huge:1") {
			continue
		}
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			sim, get := faulty(t, fault)
			if g := get(askListing); !check(g) {
				t.Errorf("status %d, %d bytes, %v: %.120s", g.status, g.size, g.err, g.body)
			}
			if kind, _, _ := strings.Cut(fault, ":"); sim.Faults()[simulator.FaultKind(kind)] != 1 {
				t.Errorf("counted %v", sim.Faults())
			}
		})
	}
}

func TestFaultTruncated(t *testing.T) {
	sim, get := faulty(t, "truncated:1")
	breaks, ends := 0, 0
	for range 12 {
		g := get(askMarkets + someIDs(sim))
		switch {
		case json.Valid([]byte(g.body)):
			t.Errorf("whole: %d bytes", g.size)
		case errors.Is(g.err, io.ErrUnexpectedEOF):
			breaks++
		case g.err == nil:
			ends++
		}
	}
	if breaks == 0 || ends == 0 || breaks+ends != 12 {
		t.Errorf("%d broke off, %d ended early", breaks, ends)
	}
}

func TestFaultsOfTheFormat(t *testing.T) {
	type answer struct {
		Success int
		Pager   struct{ Page, Total int }
		Results []map[string]json.RawMessage
	}
	read := func(g got) (a answer, err error) { return a, json.Unmarshal([]byte(g.body), &a) }
	_, whole := faulty(t, "500:0")
	good, err := read(whole(askListing))
	if err != nil || len(good.Results) != 50 {
		t.Fatalf("without a fault: %v, %d", err, len(good.Results))
	}

	t.Run("wrong", func(t *testing.T) {
		_, get := faulty(t, "wrong:1")
		shapes := make(map[string]bool)
		for range 12 {
			body := get(askListing).body
			if a, err := read(got{body: body}); err == nil && a.Success == 1 && a.Results != nil {
				t.Errorf("still of the right shape: %.100s", body)
			}
			if !json.Valid([]byte(body)) {
				t.Errorf("not JSON: %.100s", body)
			}
			shapes[body[:min(20, len(body))]] = true
		}
		if len(shapes) < 3 {
			t.Errorf("shapes %v", shapes)
		}
	})
	t.Run("listing-without-ids", func(t *testing.T) {
		_, get := faulty(t, "listing-without-ids:1@listing")
		a, err := read(get(askListing))
		if err != nil || len(a.Results) != 50 || a.Results[0]["id"] != nil || a.Results[0]["home"] == nil {
			t.Errorf("%v, %d, %s", err, len(a.Results), a.Results[0])
		}
	})
	t.Run("duplicate", func(t *testing.T) {
		sim, get := faulty(t, "duplicate:1")
		for _, path := range []string{askListing, askMarkets + someIDs(sim)} {
			a, err := read(get(path))
			seen := make(map[string]int)
			for _, r := range a.Results {
				seen[string(r["id"])+string(r["FI"])]++
			}
			if err != nil || len(seen) != len(a.Results)-1 {
				t.Errorf("%v: %d fixtures in %d results", err, len(seen), len(a.Results))
			}
		}
	})
	t.Run("shrink", func(t *testing.T) {
		_, get := faulty(t, "shrink:1@listing")
		total := 0
		for page := 1; page <= 2; page++ {
			a, err := read(get(fmt.Sprint(askListing, "&page=", page)))
			if err != nil || a.Pager.Total != good.Pager.Total*2/5 {
				t.Errorf("%v, %+v of %+v", err, a.Pager, good.Pager)
			}
			total += len(a.Results)
		}
		if total != good.Pager.Total*2/5 {
			t.Errorf("%d items on all pages, the pager says %d", total, good.Pager.Total*2/5)
		}
	})
	t.Run("broken-fixture", func(t *testing.T) {
		sim, get := faulty(t, "broken-fixture:1@markets")
		a, err := read(get(askMarkets + someIDs(sim)))
		bad := 0
		for _, r := range a.Results {
			if string(r["main"]) == "17" && r["FI"] != nil {
				bad++
			}
		}
		if err != nil || bad != 1 || len(a.Results) != 5 {
			t.Errorf("%v: %d bad of %d", err, bad, len(a.Results))
		}
	})
}

// The same seed suffers the same faults at the same requests; aimed ones hit
// their target, numbered ones once.
func TestFaultsAreRepeatable(t *testing.T) {
	run := func() (hits []int) {
		var faults []simulator.Fault
		for _, text := range []string{"500:0.2@listing", "429-body:#4@markets"} {
			f, err := simulator.ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			faults = append(faults, f)
		}
		sim := simulated(t, simulator.Options{Seed: 5, Fixtures: 10, Faults: faults})
		for i := range 200 {
			if ask(t, sim, askListing).Code == 500 {
				hits = append(hits, i)
			}
			limited := strings.Contains(ask(t, sim, askMarkets+"1").Body.String(), "TOO_MANY")
			if limited != (i == 3) {
				t.Errorf("markets request %d: limited %v", i+1, limited)
			}
		}
		return hits
	}
	first := run()
	if len(first) < 20 || len(first) > 60 || fmt.Sprint(first) != fmt.Sprint(run()) {
		t.Errorf("hits %v", first)
	}
}
