package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/fetch/provider/betsapi/emulator"
	"mkt/fetch/simulator"
	"mkt/internal/console/inplay"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/page"
	"mkt/internal/testing/check"
	"mkt/publish/football"
	"mkt/publish/table"
)

// demoFile shows a match and the path of its prices to somebody who has installed nothing.
const demoFile = "../../docs/demo.html"

//go:embed testdata/demo.html
var demoBody string

//go:embed testdata/demo.css
var demoStyle string

// demoFrame is the page of the match at a minute.
type demoFrame struct {
	ID, Label string
	HTML      template.HTML
}

// The page is what the code makes of a match of the simulator. It asks nothing of another place, and is small enough to be
// mailed.
func TestDemoPage(t *testing.T) {
	t.Parallel()
	made := makeDemoPage(t)
	if *update {
		check.Must(t, os.WriteFile(demoFile, made, 0o644))
		return
	}
	kept, err := os.ReadFile(demoFile)
	check.Must(t, err)
	if !bytes.Equal(kept, made) {
		t.Errorf("docs/demo.html is not what the code makes: go test ./cmd/mkt -run TestDemoPage -update, and look at it")
	}
	if len(kept) > 500_000 {
		t.Errorf("%d bytes", len(kept))
	}
	if elsewhere := regexp.MustCompile(`(?i)https?:|//[a-z]|<(script|link|img|iframe|object|form|base|image)\b|(src|srcset|action|data)=|@import|url\([^#]`).FindAll(kept, -1); elsewhere != nil {
		t.Errorf("it asks for something: %q", elsewhere)
	}
	if !bytes.Contains(kept, []byte(`content="default-src 'none'; style-src 'unsafe-inline'"`)) {
		t.Error("it has no policy that forbids requests")
	}
	seen := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllSubmatch(kept, -1) {
		if seen[string(id[1])] {
			t.Errorf("two elements have the id %s", id[1])
		}
		seen[string(id[1])] = true
	}
	for _, to := range regexp.MustCompile(`(?: aria-(?:labelledby|describedby)="| for="|"#|url\(#)([^")]*)`).FindAllSubmatch(kept, -1) {
		for _, id := range bytes.Fields(to[1]) {
			if !seen[string(id)] {
				t.Errorf("nothing has the id %s", id)
			}
		}
	}
	if wrong := regexp.MustCompile(` aria-(hidden|label)="(at-[^"]*)"`).FindAll(kept, -1); wrong != nil {
		t.Errorf("%d texts for screen readers are no texts: %s", len(wrong), wrong[0])
	}
}

// The match of the page, from the world of a seed. Its prices are published from four hours before kick-off.
const (
	demoSeed = 399
	demoTeam = "Tarnbrook Rovers"
)

var demoKickOff = time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC)

// demoMinutes are when the match is shown.
var demoMinutes = []int32{15, 45, 75, 91}

func makeDemoPage(t *testing.T) []byte {
	w := &simulatedSystem{system: newSystem(t, demoKickOff.Add(-4*time.Hour))}
	w.Batch.Provider = alone(w.Batch.Provider)
	token := simulator.Token(1)
	sim, err := emulator.New(simulator.Options{Seed: demoSeed, Fixtures: 12, InPlay: 1, Now: w.clock.Now, Quota: demo.Quota, Tokens: map[string]simulator.Account{token: {Seed: demoSeed}}})
	w.must(err)
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	w.accounts = []demo.Account{{Tenant: demo.NewTenant("main", football.Products(), nil), Credential: token}}
	_, err = w.Enrol(t.Context(), w.accounts, server.URL)
	w.must(err)
	fetch, err := w.Batch.FetchStep()
	w.must(err)
	run := func(p football.Product) {
		w.must(w.cycle(&w.accounts[0].Tenant, p, fetch, w.transformAlike(100), w.publishAlike()))
	}
	for ; w.now.Before(demoKickOff); w.now = w.now.Add(10 * time.Minute) {
		run(football.MarketEngine)
	}
	var body struct {
		Frames []demoFrame
		Prices template.HTML
	}
	fixture := ""
	for w.now = demoKickOff.Add(-time.Minute); len(body.Frames) < len(demoMinutes) && w.now.Before(demoKickOff.Add(2*time.Hour)); w.now = w.now.Add(demo.PastStep) {
		run(football.LiveIntelligence)
		minute := demoMinutes[len(body.Frames)]
		id, html := w.matchAt(minute)
		if html == "" {
			continue
		}
		fixture = id
		// Hashes are others in each run, and the pages of one match use the same ids.
		html = regexp.MustCompile(`(?s)<details class="evidence">.*?</details>`).ReplaceAllString(html, "")
		html = regexp.MustCompile(`( id="| aria-(?:labelledby|describedby)="|url\(#)`).ReplaceAllString(html, fmt.Sprintf("${1}at-%d-", minute))
		body.Frames = append(body.Frames, demoFrame{fmt.Sprint("at-", minute), fmt.Sprint(minute, "′"), template.HTML(html)})
	}
	run(football.MarketEngine) // without the fixture, so that its last prices are known
	body.Prices = w.pathOf(fixture)
	var out bytes.Buffer
	style := func() template.CSS { return template.CSS(page.Style + demoStyle) }
	w.must(page.Write(&out, page.Template(demoBody, template.FuncMap{"style": style})(), page.Content{Title: "mkt: a match and its prices", Body: body, MadeBy: "mkt on the simulated day", MadeAt: w.now}))
	return out.Bytes()
}

// matchAt returns the id and the page of the match as soon as its clock shows a minute; "" before that.
func (w *simulatedSystem) matchAt(minute int32) (id, html string) {
	d := w.Dataset("main", football.LiveIntelligence)
	root, err := d.Open()
	w.must(err)
	defer root.Close()
	s, err := inplay.Read(root)
	w.must(err)
	i := slices.IndexFunc(s.Rows, func(r table.LiveRow) bool {
		return r.Home != nil && *r.Home == demoTeam && r.ClockMinute != nil && *r.ClockMinute >= minute
	})
	if i < 0 {
		return "", ""
	}
	m, err := s.Match(&s.Rows[i])
	w.must(err)
	trace, err := inplay.Trace{}.Extend(w.Context(), d, m, func(int, int) {})
	w.must(err)
	m.Past, m.Now = trace.Past, w.now
	drawn, err := m.HTML()
	w.must(err)
	return m.Row.FixtureID, string(drawn)
}

// pathOf returns the path of the match result of a fixture.
func (w *simulatedSystem) pathOf(fixture string) template.HTML {
	root, err := w.Dataset("main", football.MarketEngine).Open()
	w.must(err)
	defer root.Close()
	p, err := history.Read(w.Context(), history.Options{Root: root, Fixture: fixture, To: w.now.Add(-time.Second)})
	w.must(err)
	d, err := p.Document(history.Shown{Account: "main", Market: history.Grouped(p.Offered())[0].Markets[0].MarketID})
	w.must(err)
	html, err := d.HTML()
	w.must(err)
	return html
}
