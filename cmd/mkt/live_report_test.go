package main

import (
	"bytes"
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

func liveRowsOf(p *played) (rows []table.LiveRow) {
	p.Helper()
	root, err := p.dataset(football.LiveIntelligence).Open()
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

// A page can be written for every fixture of a simulated hour, and the archive leads to the
// published values.
func TestLiveReport(t *testing.T) {
	length := 2 * time.Minute
	if !testing.Short() {
		length = 20 * time.Minute
	}
	p := newPlayed(t, simulator.Options{Seed: 7, Fixtures: 20, InPlay: 6})
	p.play(length)
	followed := 0
	for _, row := range liveRowsOf(p) {
		file := p.file(row.FixtureID + ".html")
		out, err := p.run("live", "show", row.FixtureID, "--html", file, "--output", "json")
		p.must(err)
		var printed struct {
			File   string
			Bytes  int
			Cycles int `json:"cycles_followed"`
		}
		p.must(json.Unmarshal([]byte(out), &printed))
		page, err := os.ReadFile(file)
		p.must(err)
		if printed.File != file || printed.Bytes != len(page) || printed.Cycles < 1 {
			t.Errorf("%s of %d bytes: %+v", row.FixtureID, len(page), printed)
		}
		if bytes.Contains(page, []byte("leads to other numbers")) {
			t.Errorf("%s: the archive leads to other numbers", row.FixtureID)
		}
		followed += printed.Cycles
		out, err = p.run("live", "show", row.FixtureID, "--html", "-", "--tenant", "acme")
		p.must(err)
		if out != string(page) {
			t.Errorf("%s: the standard output gets another page", row.FixtureID)
		}
	}
	if followed < 10 {
		t.Errorf("%d cycles followed", followed)
	}
	p.must(os.RemoveAll(p.dataset(football.LiveIntelligence).Dir() + "/raw"))
	out, err := p.run("live", "show", liveRowsOf(p)[0].FixtureID, "--html", "-")
	p.must(err)
	if !strings.Contains(out, "no archived cycle of the match is kept") {
		t.Error("without raw cycles it does not say so")
	}
}
