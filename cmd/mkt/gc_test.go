package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/simulator"
	"mkt/publish/football"
)

// gc interprets the retention settings like a publication: a setting that keeps all snapshots wins
// over the other one.
func TestCollectsAsAPublicationDoes(t *testing.T) {
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
