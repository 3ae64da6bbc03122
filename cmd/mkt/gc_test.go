package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch"
	"mkt/fetch/credential"
	"mkt/fetch/provider/all"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/serve"
	"mkt/serve/account"
	"mkt/transform"
	"mkt/transform/identity"
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
	w := newCollectingWorld(t)
	for range 4 {
		w.cycle(t)
	}
	url := w.serve(t)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *gcReaders}, Timeout: time.Minute}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	var requests, walks atomic.Int64
	var readers sync.WaitGroup
	for range *gcReaders {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := w.walk(ctx, client, url, &requests); err != nil && ctx.Err() == nil {
					t.Error(err)
					stop()
					return
				}
				walks.Add(1)
			}
		})
	}
	for ctx.Err() == nil {
		w.cycle(t)
	}
	readers.Wait()
	t.Logf("%d readers, %d requests in %d walks, while %d publications deleted %d snapshots, %d cycles and %d segments", *gcReaders, requests.Load(), walks.Load(),
		w.hour, w.gone.Snapshots, w.gone.Cycles, w.gone.Segments)
	if w.gone.Snapshots == 0 {
		t.Error("nothing was deleted")
	}
}

// collectingWorld publishes a cycle every simulated hour, with the shortest retention.
type collectingWorld struct {
	dir, url, token string
	root, data      *durable.Disk
	began           time.Time
	hour            int
	gone            retention.Collected
}

func newCollectingWorld(t *testing.T) *collectingWorld {
	sim, err := emulator.New(simulator.Options{Seed: 3, Fixtures: 10, Quota: 10_000_000, Tokens: map[string]simulator.Account{"12345-collect": {}}})
	check.Must(t, err)
	url, _, err := simulator.Listen(t.Context(), sim, "127.0.0.1:0")
	check.Must(t, err)
	token, err := account.NewToken(rand.Reader)
	check.Must(t, err)
	w := &collectingWorld{dir: t.TempDir(), url: url, token: token, began: time.Now().UTC().Truncate(time.Hour)}
	w.data, err = durable.OpenRoot(w.dir)
	check.Must(t, err)
	w.root, err = durable.OpenRoot(filepath.Join(w.dir, layout.TenantProduct("acme", string(football.MarketEngine))))
	check.Must(t, err)
	t.Cleanup(func() { w.root.Close(); w.data.Close() })
	return w
}

func (w *collectingWorld) cycle(t *testing.T) {
	t.Helper()
	w.hour++
	now := func() time.Time { return w.began.Add(time.Duration(w.hour) * time.Hour) }
	ctx := context.WithoutCancel(t.Context())
	_, err := fetch.Run(ctx, fetch.Options{
		Tenant:  fetch.Tenant{ID: "acme", Provider: "betsapi", SealedCredential: "sealed", Fingerprint: credential.Fingerprint("sealed"), BaseURL: w.url, AllowPrivateAddress: true},
		Product: football.MarketEngine, Root: w.root, Now: now, Provider: all.Lookup,
		Open: func(string, string, string) (credential.Secret, error) {
			return credential.NewSecret("12345-collect"), nil
		},
	})
	check.Must(t, err)
	_, err = transform.Run(ctx, transform.Options{ClientID: "acme", Product: football.MarketEngine, Root: w.root, Data: w.data, Key: identity.Key{}, Now: now})
	check.Must(t, err)
	s, err := publish.Run(ctx, publish.Options{ClientID: "acme", Product: football.MarketEngine, Root: w.root, Now: now,
		Retention: retention.Policy{Snapshots: 1, SnapshotAge: time.Hour, CycleAge: time.Hour, ChangeEvents: 1}})
	check.Must(t, err)
	w.gone.Snapshots += s.Collected.Snapshots
	w.gone.Cycles += s.Collected.Cycles
	w.gone.Segments += s.Collected.Segments
}

func (w *collectingWorld) serve(t *testing.T) string {
	t.Helper()
	g, err := account.NewGeneration([]account.Account{{
		ClientID: "acme", Status: account.Active, TokenDigests: [][32]byte{account.Digest(w.token)},
		Subscriptions: map[football.Product]account.Subscription{football.MarketEngine: {}},
		Features:      map[string]bool{"fixtures": true, "markets": true, "changes": true},
		Limit:         account.Limit{Requests: 100_000_000, Per: time.Minute, Burst: 100_000_000},
		Provider:      account.Provider{Name: "betsapi", Configured: true, Fingerprint: credential.Fingerprint("sealed")},
	}})
	check.Must(t, err)
	accounts := &account.Registry{}
	accounts.Swap(g)
	ready, done := make(chan string, 1), make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		done <- serve.Run(ctx, serve.Options{Listen: "127.0.0.1:0", DataDir: w.dir, CacheDir: t.TempDir(), UsageDir: t.TempDir(), Accounts: accounts,
			Poll: 20 * time.Millisecond, Ready: func(url string) { ready <- url }})
	}()
	t.Cleanup(func() { stop(); check.Must(t, <-done) })
	select {
	case url := <-ready:
		return url + "/api/v1"
	case err := <-done:
		t.Fatal(err)
	}
	return ""
}

// walk pages through fixtures, the markets of one, and the change log from its beginning. Only a
// cursor that is older than the window may be refused.
func (w *collectingWorld) walk(ctx context.Context, client *http.Client, url string, requests *atomic.Int64) error {
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

func (w *collectingWorld) page(ctx context.Context, client *http.Client, url string, requests *atomic.Int64) (page answeredPage, status int, err error) {
	// A thousand requests a second in all, so that publications can go on.
	time.Sleep(time.Duration(mathrand.IntN(2**gcReaders)) * time.Millisecond)
	status, _, body, err := get(ctx, client, url, w.token)
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
