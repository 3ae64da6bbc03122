package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"mkt/scripts/internal/pages"
)

// followers request GET /live like clients, each with its own token and the ETag of its
// last answer.
type followers struct {
	end   context.CancelFunc
	ended <-chan struct{}
	all   sync.WaitGroup

	mu   sync.Mutex
	seen sightings
}

// sightings are the measurements of the clients.
type sightings struct {
	delays  []time.Duration // from a publication to the first answer with it
	steps   []time.Duration // between the publications of an account
	answers []time.Duration // time of an answer with a body
	listed  int             // fixtures in play in the newest
	errors  map[string]int
}

func follow(url string, tokens []string, every time.Duration) *followers {
	ctx, cancel := context.WithCancel(context.Background())
	f := &followers{end: cancel, ended: ctx.Done(), seen: sightings{errors: map[string]int{}}}
	for i, token := range tokens {
		f.all.Go(func() {
			time.Sleep(every * time.Duration(i) / time.Duration(len(tokens)))
			f.one(url, token, every)
		})
	}
	return f
}

func (f *followers) one(url, token string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var newest time.Time
	tag := ""
	for {
		select {
		case <-f.ended:
			return
		case <-tick.C:
		}
		began := time.Now()
		published, listed, etag, err := ask(url, token, tag)
		took := time.Since(began)
		f.mu.Lock()
		switch {
		case err != nil:
			f.seen.errors[err.Error()]++
		case published.After(newest):
			f.seen.delays = append(f.seen.delays, time.Since(published))
			if !newest.IsZero() {
				f.seen.steps = append(f.seen.steps, published.Sub(newest))
			}
			f.seen.answers, f.seen.listed = append(f.seen.answers, took), listed
			newest, tag = published, etag
		}
		f.mu.Unlock()
	}
}

// ask returns the zero time if the answer is 304.
func ask(url, token, tag string) (published time.Time, listed int, etag string, err error) {
	answer, body, err := pages.Get(context.Background(), http.DefaultClient, url, token, "/live?limit=200", tag)
	switch {
	case err != nil:
		return published, 0, "", err
	case answer.StatusCode == http.StatusNotModified:
		return published, 0, tag, nil
	case answer.StatusCode != http.StatusOK:
		return published, 0, "", fmt.Errorf("status %d", answer.StatusCode)
	}
	var page struct {
		Meta struct {
			PublishedAt time.Time `json:"published_at"`
			Listed      int       `json:"live_fixture_count"`
		}
	}
	err = json.Unmarshal(body, &page)
	return page.Meta.PublishedAt, page.Meta.Listed, answer.Header.Get("ETag"), err
}

// reset discards the measurements of the warm-up.
func (f *followers) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = sightings{errors: map[string]int{}}
}

// stop ends the clients, unless they have ended, and returns their measurements.
func (f *followers) stop() sightings {
	f.end()
	f.all.Wait()
	return f.seen
}
