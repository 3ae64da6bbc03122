package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// liveRowsOf reads the newest live snapshot.
func liveRowsOf(p *played) (rows []table.LiveRow) {
	p.Helper()
	root, err := p.place(football.LiveIntelligence).open()
	p.must(err)
	defer root.Close()
	c, _, err := snapshot.Head(root)
	p.must(err)
	for r, err := range snapshot.Rows[table.LiveRow](root, c.Dir()+"/"+layout.LiveFile) {
		p.must(err)
		rows = append(rows, *r)
	}
	return rows
}

// A page is written of every fixture of a simulated hour, and the archive leads to
// what was published.
func TestLiveReport(t *testing.T) {
	length := 2 * time.Minute
	if !testing.Short() {
		length = 20 * time.Minute
	}
	p := newPlayed(t, simulator.Options{Seed: 7, Fixtures: 20, InPlay: 6})
	p.play(length)
	a, followed := p.app(), 0
	for _, row := range liveRowsOf(p) {
		file := p.file(row.FixtureID + ".html")
		var out bytes.Buffer
		a.out, a.output.value = &out, "json"
		p.must(a.liveReport(context.Background(), "", row.FixtureID, file))
		var told struct {
			File   string
			Bytes  int
			Cycles int `json:"cycles_followed"`
		}
		p.must(json.Unmarshal(out.Bytes(), &told))
		page, err := os.ReadFile(file)
		p.must(err)
		if told.File != file || told.Bytes != len(page) || told.Cycles < 1 {
			t.Errorf("%s of %d bytes: %+v", row.FixtureID, len(page), told)
		}
		if bytes.Contains(page, []byte("leads to other numbers")) {
			t.Errorf("%s: the archive leads to other numbers", row.FixtureID)
		}
		followed += told.Cycles
		out.Reset()
		p.must(a.liveReport(context.Background(), "acme", row.FixtureID, "-"))
		if !bytes.Equal(out.Bytes(), page) {
			t.Errorf("%s: the standard output gets another page", row.FixtureID)
		}
	}
	if followed < 10 {
		t.Errorf("%d cycles followed", followed)
	}
	p.must(os.RemoveAll(p.place(football.LiveIntelligence).dir() + "/raw"))
	var out bytes.Buffer
	a.out = &out
	p.must(a.liveReport(context.Background(), "", liveRowsOf(p)[0].FixtureID, "-"))
	if !strings.Contains(out.String(), "no archived cycle of the match is kept") {
		t.Error("without raw cycles it does not say so")
	}
}
