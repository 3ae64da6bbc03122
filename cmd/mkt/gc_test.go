package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/batch"
	"mkt/fetch/simulator"
	"mkt/publish"
	"mkt/publish/football"
	"mkt/publish/retention"
)

var (
	gcFor     = flag.Duration("gc-for", 5*time.Second, "how long readers read while everything old is collected")
	gcReaders = flag.Int("gc-readers", 50, "how many of them at once")
)

// P9: clients page through everything while every publication deletes all that retention allows.
// None of them ever gets an error. (-gc-for 10m -gc-readers 1000 is the full drill.)
func TestCollectingUnderReaders(t *testing.T) {
	patience := *gcFor
	if testing.Short() {
		patience = min(patience, time.Second)
	}
	w := &collecting{liveSystem: newLiveSystem(t, time.Now().UTC().Truncate(time.Hour), simulator.Options{Seed: 3, Fixtures: 10})}
	for range 4 {
		w.publish()
	}
	w.servedIn("/fixtures")
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *gcReaders}, Timeout: time.Minute}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var requests, walks atomic.Int64
	var readers sync.WaitGroup
	for range *gcReaders {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := w.walk(ctx, client, &requests); err != nil && ctx.Err() == nil {
					t.Error(err)
					stop()
					return
				}
				walks.Add(1)
			}
		})
	}
	for ctx.Err() == nil {
		w.publish()
	}
	readers.Wait()
	t.Logf("%d readers, %d requests in %d walks, while %d publications deleted %d snapshots, %d cycles and %d segments", *gcReaders, requests.Load(), walks.Load(),
		w.published, w.gone.Snapshots, w.gone.Cycles, w.gone.Segments)
	if w.gone.Snapshots == 0 {
		t.Error("nothing was deleted")
	}
}

// collecting is a system that publishes a cycle every simulated hour, with the shortest retention.
type collecting struct {
	*liveSystem
	published int
	gone      retention.Collected
}

func (w *collecting) publish() {
	w.Helper()
	w.published, w.now = w.published+1, w.now.Add(time.Hour)
	w.must(w.cycle(w.acme(), football.MarketEngine, w.steps[0], w.steps[1], func(ctx context.Context, t batch.Task) (batch.Report, error) {
		s, err := publish.Run(ctx, publish.Options{ClientID: t.Tenant.ID, Product: t.Product, Cycle: t.Cycle, Root: t.Root, Now: w.Now,
			Retention: retention.Policy{Snapshots: 1, SnapshotAge: time.Hour, CycleAge: time.Hour, ChangeEvents: 1}})
		w.gone.Snapshots += s.Collected.Snapshots
		w.gone.Cycles += s.Collected.Cycles
		w.gone.Segments += s.Collected.Segments
		return batch.PublishReport(s, 0), err
	}))
}

// walk pages through fixtures, the markets of one, and the change log from its beginning. Only a
// cursor that is older than the window may be refused.
func (w *collecting) walk(ctx context.Context, client *http.Client, requests *atomic.Int64) error {
	url := w.url + "/api/v1"
	for _, path := range []string{"/fixtures?limit=4", "/changes?limit=50"} {
		for cursor := ""; ; {
			page, status, err := w.page(ctx, client, url+path+cursor, requests)
			switch {
			case err != nil:
				return err
			case status == http.StatusBadRequest && page.Error.Code == "INVALID_CURSOR" && strings.HasPrefix(path, "/changes") && cursor != "":
			case status != http.StatusOK:
				return fmt.Errorf("%s: %d %s", path, status, page.Error.Code)
			}
			if cursor == "" && len(page.Data) > 0 && path == "/fixtures?limit=4" {
				if _, status, err := w.page(ctx, client, url+"/fixtures/"+page.Data[0].ID+"/markets?limit=200", requests); err != nil || status != http.StatusOK && status != http.StatusNotFound {
					return fmt.Errorf("markets: %d, %v", status, err)
				}
			}
			if !page.Pagination.More {
				break
			}
			cursor = "&cursor=" + page.Pagination.Next
		}
	}
	return nil
}

type answeredPage struct {
	Data []struct {
		ID string `json:"fixture_id"`
	}
	Pagination struct {
		Next string `json:"next_cursor"`
		More bool   `json:"has_more"`
	}
	Error struct{ Code string }
}

func (w *collecting) page(ctx context.Context, client *http.Client, url string, requests *atomic.Int64) (page answeredPage, status int, err error) {
	// A thousand requests a second in all, so that publications can go on.
	time.Sleep(time.Duration(rand.IntN(2**gcReaders)) * time.Millisecond)
	status, body, err := get(ctx, client, url, w.token)
	if err != nil {
		return page, 0, err
	}
	requests.Add(1)
	return page, status, json.Unmarshal([]byte(body), &page)
}

// gc interprets the retention settings like a publication: a setting that keeps all snapshots wins
// over the other one.
func TestGCKeepsWhatAPublicationKeeps(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 3, InPlay: -1})
	for range 5 {
		p.cycle(football.MarketEngine)
		p.now = p.now.Add(2 * time.Hour)
	}
	for _, c := range []struct {
		count, age string
		want       string
	}{
		{"3", "1h", "2 snapshots, "},
		{"0", "1h", "0 snapshots, "},
		{"3", "0", "0 snapshots, "},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{"gc", "--dry-run", "--data", p.data, "--keep-snapshots", c.count, "--keep-snapshot-age", c.age}, nil, &out, &errs)
		if code != cli.ExitDone || !strings.Contains(out.String(), "acme market_engine: "+c.want) {
			t.Errorf("keep %s snapshots, and %s: exit %d, want %s\n%s%s", c.count, c.age, code, c.want, out.String(), errs.String())
		}
	}
}
