package main

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/simulator"
	"mkt/publish/football"
)

func TestDiff(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 6, InPlay: 2})
	for range 3 {
		p.cycle(football.MarketEngine)
		p.cycle(football.LiveIntelligence)
		p.now = p.now.Add(time.Hour)
	}
	p.now = p.now.Add(40*time.Second - time.Hour)
	p.cycle(football.LiveIntelligence)
	copied := filepath.Join(t.TempDir(), "copy")
	p.must(os.CopyFS(copied, os.DirFS(p.data)))
	for _, c := range []struct {
		args []string
		exit int
		want []string
	}{
		{[]string{"--product", "market_engine"}, cli.ExitDone, []string{"fx_", "  odds", " → ", " %", "A            ", "version 2", "version 3", "odds moved"}},
		{[]string{"latest~2", "latest", "--product", "market_engine", "--summary"}, cli.ExitDone, []string{"version 1", "version 3"}},
		{[]string{"2026-03-07 12:30", "20260307T130000Z-market_engine", "--exit-code", "--summary"}, cli.ExitFailed, []string{"version 1", "version 2"}},
		{[]string{"latest", "latest", "--product", "market_engine", "--exit-code"}, cli.ExitDone, []string{"7 the same, 0 changed"}},
		{[]string{"--product", "market_engine", "--only", "quality", "--exit-code", "latest", "latest"}, cli.ExitDone, nil},
		{[]string{"--product", "market_engine", "--data-b", copied, "--exit-code"}, cli.ExitDone, []string{"0 changed"}},
		{[]string{"v1", "--product", "market_engine", "--data-b", copied, "--exit-code", "--summary"}, cli.ExitFailed, []string{"version 1", "version 3"}},
		{[]string{"--product", "live_intelligence"}, cli.ExitDone, []string{"counter", "clock_minute", "counter moved"}},
		{nil, cli.ExitUsage, []string{"give --product"}},
		{[]string{"--product", "market_engine", "--only", "prices"}, cli.ExitUsage, []string{"want one of fixtures, markets"}},
		{[]string{"v9", "--product", "market_engine"}, cli.ExitUsage, []string{"the newest is v3"}},
		{[]string{"v9", "--product", "market_engine", "--exit-code"}, cli.ExitUsage, []string{"the newest is v3"}},
		{[]string{"20260307T120000Z-market_engine", "20260307T120000Z-live_intelligence"}, cli.ExitUsage, []string{"is a cycle of live_intelligence, not of market_engine"}},
		{[]string{"--data-b", "nowhere", "--product", "market_engine"}, cli.ExitFailed, []string{"data root nowhere: no such folder"}},
	} {
		out, err := p.run(append([]string{"diff"}, c.args...)...)
		if err != nil {
			out += err.Error()
		}
		if cli.ExitCode(err) != c.exit {
			t.Errorf("diff %q: exit %d, want %d: %s", c.args, cli.ExitCode(err), c.exit, out)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("diff %q: no %q in\n%.2000s", c.args, want, out)
			}
		}
	}
	checkDiffJSON(p)
	checkDiffIsExplained(p)
	checkDiffPage(p)
}

// checkDiffIsExplained: each line of the text names its subject and ends with an id for mkt explain.
func checkDiffIsExplained(p *played) {
	p.Helper()
	for _, product := range []string{"market_engine", "live_intelligence"} {
		out, err := p.run("diff", "--product", product, "latest~2", "latest")
		p.must(err)
		if product == "market_engine" {
			for _, want := range []string{
				`\n  odds +TEAM_TOTAL_GOALS FT HOME [A-Z][^\n]* (OVER|UNDER) 0\.5 +[0-9.]+ → `,
				`\n  odds +HANDICAP_RESULT FT +AWAY \(HOME -[0-9]\) [A-Z]`,
				`\n  odds +ASIAN_HANDICAP FT +AWAY [+][0-9.]+ [A-Z]`,
				`\nexplain +mkt explain ID --tenant acme --product market_engine --at v1, of B: `,
			} {
				if !regexp.MustCompile(want).MatchString(out) {
					p.Errorf("no line like %s in\n%.3000s", want, out)
				}
			}
		}
		kinds := map[string]bool{}
		for line := range strings.Lines(out) {
			words := strings.Fields(line)
			if !strings.HasPrefix(line, "  ") {
				continue
			}
			id := words[len(words)-1]
			kind := words[0] + id[:3] + id[strings.LastIndexByte(id, '/')+1:][:3]
			if kinds[kind] {
				continue
			}
			kinds[kind] = true
			at := "latest"
			if words[0] == "-" {
				at = "latest~2"
			}
			if explained, err := p.run("explain", id, "--product", product, "--at", at); err != nil {
				p.Errorf("%s: %v\n%s", line, err, explained)
			}
		}
		if len(kinds) < 2 {
			p.Errorf("%s: only lines of %v", product, kinds)
		}
	}
}

// checkDiffJSON: one change a line, then the summary, whose counts are those of the changes.
func checkDiffJSON(p *played) {
	p.Helper()
	out, err := p.run("diff", "--product", "market_engine", "--output", "json")
	p.must(err)
	counts, last := map[string]int{}, map[string]any{}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		last = map[string]any{}
		p.must(dec.Decode(&last))
		counts[last["change"].(string)]++
	}
	if last["change"] != "summary" || last["differs"] != true || counts["odds_moved"] == 0 {
		p.Fatalf("%v", last)
	}
	for what, n := range last["changes"].(map[string]any) {
		if int(n.(float64)) != counts[what] {
			p.Errorf("%v %s in the summary, %d reported", n, what, counts[what])
		}
	}
}

// checkDiffPage: the page is well formed and self-contained, and the same on the standard output.
func checkDiffPage(p *played) {
	p.Helper()
	file := p.file("diff.html")
	_, err := p.run("diff", "--product", "market_engine", "--html", file, "--summary")
	p.must(err)
	page, err := os.ReadFile(file)
	p.must(err)
	out, err := p.run("diff", "--product", "market_engine", "--html", "-")
	p.must(err)
	if out != string(page) {
		p.Error("the standard output gets another page")
	}
	dec := xml.NewDecoder(strings.NewReader(out))
	for {
		_, err := dec.Token()
		if err == io.EOF {
			break
		}
		p.must(err)
	}
	for _, want := range []string{"How far odds moved", "By market", "Largest movements", "version 2", "version 3"} {
		if !strings.Contains(out, want) {
			p.Errorf("no %q on the page", want)
		}
	}
	for _, never := range []string{"<script", "http:", "https:", " src=", "@import"} {
		if strings.Contains(out, never) {
			p.Errorf("%q on the page", never)
		}
	}
}
