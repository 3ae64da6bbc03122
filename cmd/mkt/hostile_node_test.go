package main

import (
	"log/slog"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"mkt/fetch/simulator"
	"mkt/internal/console"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
)

// hostileMarkup acts on a browser: markup that ends its element or attribute, scripts, requests,
// marks that change the direction of reading, and a word wider than a telephone.
var hostileMarkup = ` </title></textarea></svg><script>document.title="owned"</script><img src="/owned" onerror="document.title='owned'">` +
	`" onmouseover="owned()' style='position:fixed' {{.}} javascript:owned() &lt;b&gt; ` + "\u202eslaer\u2066\u200f\u2028" + strings.Repeat("Wide", 60)

// Whatever names a provider sends, they are text on every page of the console, and no page becomes
// wider than a telephone.
func TestNodeHostileNamesAreText(t *testing.T) {
	needs.Browser(t)
	p := newPlayed(t, simulator.Options{Seed: 3, Fixtures: 4, InPlay: 2})
	p.exchange.Handler = withHostileNames(p.exchange.Handler, hostileMarkup)
	for range 2 {
		p.cycle(football.MarketEngine)
		p.play(time.Minute)
		p.now = p.now.Add(8 * time.Minute)
	}
	id := func(query string) string {
		out, _ := hostileRun(p, "inspect", "--tenant", "acme", "--sql", query, "--format", "csv")
		return strings.Fields(out)[1]
	}
	market := strings.Split(id("SELECT concat_ws('/',fixture_id,market_id,selection_id) AS id FROM selections LIMIT 1"), "/")
	fixture, live := market[0], id("SELECT fixture_id FROM live LIMIT 1")
	pages, err := console.New(console.Options{Now: func() time.Time { return p.now.Add(5 * time.Second) }, Version: version, Data: p.data, Log: slog.New(slog.DiscardHandler)})
	p.must(err)
	server := httptest.NewServer(pages)
	defer server.Close()

	// A text that was sent as markup would be an element, and marks would not be escapes.
	texts := map[string]string{"owned": "img, script:not([src]), [onmouseover], [style], main b:has-text('owned')", "main": "main"}
	var all []browserPage
	for _, path := range []string{
		"/fixtures/acme", "/fixtures/acme?q=" + url.QueryEscape(hostileMarkup[:200]), "/fixtures/acme/" + fixture, "/fixtures/acme/" + fixture + "/" + market[1],
		"/explain/acme/market_engine/" + fixture, "/explain/acme/market_engine/" + strings.Join(market[:2], "/"), "/explain/acme/market_engine/" + strings.Join(market, "/"),
		"/explain/acme/live_intelligence/" + live, "/explain/acme/live_intelligence/" + live + "/momentum", "/live/acme", "/live/acme/" + live,
		"/cycles/acme/market_engine", "/cycles/acme/market_engine/latest", "/audit/acme/market_engine", "/diff/acme/market_engine?a=v1&b=v2", "/diff/acme/live_intelligence?a=v1&b=latest",
	} {
		all = append(all, browserPage{Path: path, Phone: true, Texts: texts})
	}
	// As one types it, in the list that a script renews.
	all = append(all, browserPage{Path: "/fixtures/acme", Do: [][]any{{"fill", "[name=q]", "<script>"}, {"pause", 1000}}, Texts: texts})
	shown := 0
	for _, page := range browse(t, server.URL, all...) {
		main := strings.Join(page.Texts["main"], "")
		if page.Status != 200 || len(page.Texts["owned"]) > 0 || page.Title == "owned" || strings.ContainsAny(main, "\u202e\u2066\u200f\u2028") {
			t.Errorf("%s: status %d, title %q, elements %q", page.Path, page.Status, page.Title, page.Texts["owned"])
		}
		if strings.Contains(main, `<script>document.title="owned"</script><img src=`) && strings.Contains(main, `\u202eslaer`) {
			shown++
		}
	}
	if names := slices.IndexFunc(all, func(p browserPage) bool { return strings.HasPrefix(p.Path, "/cycles") }); shown < names {
		t.Errorf("only %d pages show the names", shown)
	}
}
