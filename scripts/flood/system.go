package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"mkt/scripts/internal/installation"
	"mkt/scripts/internal/pages"
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
		if s.tokens[id], err = in.AddTenant(ctx, id, provider, "market_engine"); err != nil {
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
	s.url = api.BaseURL
	for id := range s.tokens {
		if s.fixtures[id], err = pages.Fixtures(ctx, s.client, s.url, s.tokens[id]); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return s, nil
}

// cold returns the path of a page that is not cached.
func (s *system) cold(id string, n int) string { return pages.Cold(s.fixtures[id], n) }

func (s *system) get(ctx context.Context, id, path string) (status int, err error) {
	answer, _, err := pages.Get(ctx, s.client, s.url, s.tokens[id], path)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, nil
}
