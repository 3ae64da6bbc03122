package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mkt/fetch/simulator"
	"mkt/publish/football"
)

// hostileText acts on a terminal: escape sequences, one that sets the title, an 8-bit control
// character, marks that change the direction of reading, and a line that looks like ours.
const hostileText = " \x1b[2J\x1b]0;owned\x07 \u009b31m \u202eslaer\u2066 \u200f\u061c\x7f\u2028\nmkt: all is well\t\r\u0000 =1+1"

// withHostileNames is a provider that appends a text to every name.
func withHostileNames(provider http.Handler, text string) http.Handler {
	return altered(provider, func(_ *http.Request, sent []byte) []byte {
		var body any
		if json.Unmarshal(sent, &body) == nil {
			renameAll(body, text)
			sent, _ = json.Marshal(body)
		}
		return sent
	})
}

func renameAll(v any, text string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			renameAll(item, text)
		}
	case map[string]any:
		for key, item := range v {
			if name, is := item.(string); is && (key == "name" || key == "header" || key == "NA") {
				v[key] = name + text
			}
			renameAll(item, text)
		}
	}
}

// Whatever names a provider sends, no output for people contains anything that a terminal acts on.
func TestHostileNamesAreHarmless(t *testing.T) {
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 4, InPlay: 2})
	p.exchange.Handler = withHostileNames(p.exchange.Handler, hostileText)
	for range 2 {
		p.cycle(football.MarketEngine)
		p.cycle(football.LiveIntelligence)
		p.now = p.now.Add(8 * time.Minute)
	}
	ids := map[string]string{}
	for what, query := range map[string]string{"fixture": "SELECT fixture_id FROM fixtures WHERE market_count > 0 LIMIT 1", "market": "SELECT market_id FROM markets LIMIT 1",
		"selection": "SELECT selection_id FROM selections LIMIT 1", "live": "SELECT fixture_id FROM live LIMIT 1"} {
		id, _ := hostileRun(p, "inspect", "--tenant", "acme", "--sql", query, "--format", "csv")
		ids[what] = strings.Fields(id)[1]
	}
	payloads := filepath.Join(t.TempDir(), "payloads")
	p.must(os.Mkdir(payloads, 0o755))
	p.must(os.WriteFile(filepath.Join(payloads, "one.json"), []byte(fmt.Sprintf(`{"success":1,"results":[{"FI":"1","main":{"sp":{"odd_market":{"id":"7","name":%s,"odds":[]}}}}]}`, jsonString("Odd"+hostileText))), 0o644))
	sql := "SELECT f.home, f.league, m.provider_market_name, s.name FROM fixtures f, markets m, selections s LIMIT 20"
	for _, args := range [][]string{
		{"live", "show", ids["live"]}, {"live", "show", "-"}, {"live", "show", ids["live"], "--html", "-"},
		{"explain", ids["fixture"]}, {"explain", ids["market"]}, {"explain", ids["selection"]}, {"explain", ids["live"] + "/clock"}, {"explain", ids["live"] + "/momentum"},
		{"inspect", "--sql", sql}, {"inspect", "--sql", sql, "--format", "json"}, {"inspect", "--product", "market_engine", "latest"},
		{"diff", "--product", "market_engine"}, {"diff", "--product", "live_intelligence"}, {"diff", "--product", "market_engine", "--html", "-"},
		{"mapping", "report", payloads}, {"doctor"}, {"verify"},
	} {
		for _, form := range []string{"text", "json"} {
			out, errs := hostileRun(p, append(args, "--tenant", "acme", "--output", form)...)
			said := out + errs
			for _, r := range said {
				if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u202e\u2066\u200f\u061c\u2028", r) {
					t.Errorf("%s, %s: holds %U", args, form, r)
					break
				}
			}
			page := slices.Contains(args, "--html")
			if !utf8.ValidString(said) || !page && strings.Contains(said, "\nmkt: all is well") || said == "" {
				t.Errorf("%s, %s: %.2000s", args, form, said)
			}
			if form == "json" && !page {
				for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
					p.must(dec.Decode(new(any)))
				}
			}
		}
	}
	onTerminals(p, t, ids["live"])
	// Output for other programs has the provider's text unchanged.
	out, _ := hostileRun(p, "inspect", "--tenant", "acme", "--format", "csv", "--sql", "SELECT home, '=1+1' AS formula, -1.5 AS number FROM fixtures LIMIT 1")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 || !strings.HasSuffix(rows[1][0], hostileText) || !strings.HasSuffix(out, `,"=1+1",-1.5`+"\n") {
		t.Errorf("%q, %v", out, err)
	}
}

func hostileRun(p *played, args ...string) (out, errs string) {
	p.Helper()
	if args[0] == "mapping" || args[0] == "doctor" {
		args = append(args[:len(args)-4:len(args)-4], args[len(args)-2:]...) // these have no tenant
	}
	var o, e bytes.Buffer
	run(p.Context(), append(args, "--data", p.data), strings.NewReader(""), &o, &e)
	return o.String(), e.String()
}
