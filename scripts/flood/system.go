package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"mkt/scripts/internal/installation"
)

// system is an installation with two accounts, and a client of its API.
type system struct {
	*installation.Installation
	options
	url      string
	tokens   map[string]string
	fixtures map[string][]string // ids by account
	client   *http.Client
}

// start adds the accounts, runs a cycle of each, and starts the API.
func start(ctx context.Context, o options) (_ *system, err error) {
	in, err := installation.New(ctx, o.binary)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	s := &system{Installation: in, options: o, tokens: map[string]string{}, fixtures: map[string][]string{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * o.connections, DisableCompression: true}, Timeout: 30 * time.Second}}
	provider, err := in.Listen("simulate", "--fixtures", strconv.Itoa(o.size), "--quota", "1000000")
	if err != nil {
		return nil, err
	}
	for id, limit := range map[string]int{"quiet": 600_000, "flood": o.limit} {
		if s.tokens[id], err = in.AddTenant(ctx, id, "market_engine", provider); err != nil {
			return nil, err
		}
		if _, err = in.Run(ctx, "", "tenant", "limit", "set", id, "--requests", strconv.Itoa(limit), "--per", "1m", "--burst", strconv.Itoa(limit/60)); err != nil {
			return nil, err
		}
		if _, err = in.Run(ctx, "", "cycle", "--tenant", id); err != nil {
			return nil, err
		}
	}
	api, err := in.Listen("serve", "--log-level", "off")
	if err != nil {
		return nil, err
	}
	s.url = api.BaseURL + "/api/v1"
	for id := range s.tokens {
		if err = s.list(ctx, id); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// list reads the ids of an account's fixtures that have a page of markets.
func (s *system) list(ctx context.Context, id string) error {
	deadline := time.Now().Add(2 * time.Minute)
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				ID      string `json:"fixture_id"`
				Markets int    `json:"market_count"`
			}
			Pagination struct {
				Next *string `json:"next_cursor"`
			}
		}
		status, body, err := s.get(ctx, id, "/fixtures?limit=200"+cursor)
		if err == nil && status == http.StatusServiceUnavailable && time.Now().Before(deadline) {
			time.Sleep(100 * time.Millisecond) // the account is still being loaded
			continue
		}
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("fixtures of %s: status %d", id, status)
		}
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if err != nil {
			return err
		}
		for _, f := range page.Data {
			if f.Markets >= 50 {
				s.fixtures[id] = append(s.fixtures[id], f.ID)
			}
		}
		if page.Pagination.Next == nil {
			break
		}
		cursor = "&cursor=" + *page.Pagination.Next
	}
	if len(s.fixtures[id]) == 0 {
		return fmt.Errorf("%s has no fixture with a page of markets", id)
	}
	return nil
}

// cold returns the path of a page of about 50 markets. A path is repeated only after so
// many others that it is not cached any more.
func (s *system) cold(id string, n int) string {
	list := s.fixtures[id]
	return "/fixtures/" + list[n%len(list)] + "/markets?limit=" + strconv.Itoa(40+n/len(list)%21)
}

func (s *system) get(ctx context.Context, id, path string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.tokens[id])
	a, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	body, err = io.ReadAll(a.Body)
	return a.StatusCode, body, err
}
