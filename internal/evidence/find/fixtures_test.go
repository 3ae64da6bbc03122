package find

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/internal/evidence/history"
	"mkt/internal/evidence/names"
	"mkt/internal/testing/check"
	"mkt/internal/testing/dataroot"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Fixtures are found by their names without accents, those of the newest publication first, then
// those that left, with when they did.
func TestNamed(t *testing.T) {
	root := dataroot.New(t, football.MarketEngine)
	besiktas, other := dataroot.Listed("7", "Beşiktaş", "Malmö FF"), dataroot.Listed("8", "FC København", "Bodø/Glimt")
	result := `"main":{"updated_at":"1772600100","sp":{"full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"1","odds":"2.10","name":"1"}]}}}`
	first, second, third := dataroot.Offer("7", result), dataroot.Offer("8", result), dataroot.Offer("9", result)
	root.Cycle(0, nil, dataroot.Listing(besiktas, other), first, second)
	root.Cycle(time.Hour, nil, dataroot.Listing(besiktas, other, dataroot.Listed("9", "København B", "Ørn")), first, second, third)
	root.Cycle(2*time.Hour, nil, dataroot.Listing(other, dataroot.Listed("9", "København B", "Ørn")), second, third)
	head, _, err := snapshot.Head(root.Mem)
	check.Must(t, err)
	left := ""
	for gone, err := range Departed(root.Mem, head, nil) {
		check.Must(t, err)
		left += fmt.Sprintf("%s in v%d, left %s", *gone.Home, gone.Version, gone.Left.Sub(dataroot.Began))
	}
	if want := fmt.Sprintf("Beşiktaş in v2, left %s", 2*time.Hour+2*time.Minute+dataroot.Processing); left != want {
		t.Errorf("%s; want %s", left, want)
	}
	for text, want := range map[string]string{
		"besiktas malmo": "Beşiktaş – Malmö FF v2 left", "fc kobenhavn": "FC København – Bodø/Glimt v3", "BODO/GLIMT": "FC København – Bodø/Glimt v3",
		"kobenhavn": "several", "malmo aik": "unknown", " ": "unknown",
	} {
		found, err := namedIn(root.Mem, football.MarketEngine, text)
		got := fmt.Sprintf("%s v%d", found.Name, found.Version)
		switch {
		case errors.As(err, new(Several)):
			got = "several"
		case errors.Is(err, ErrUnknown):
			got = "unknown"
		case err != nil:
			t.Fatal(err)
		case !found.Left.IsZero():
			got += " left"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Words after the teams' names name a market or a price; the error lists the possible words.
func TestPriced(t *testing.T) {
	root := dataroot.New(t, football.MarketEngine)
	markets := `"main":{"updated_at":"1772600100","sp":{` +
		`"full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"1","odds":"2.10","name":"1"},{"id":"2","odds":"3.30","name":"Draw"},{"id":"3","odds":"3.60","name":"2"}]},` +
		`"half_time_result":{"id":"1579","name":"Half Time Result","odds":[{"id":"4","odds":"2.60","name":"1"},{"id":"5","odds":"2.10","name":"Draw"},{"id":"6","odds":"4.00","name":"2"}]},` +
		`"goals_over_under":{"id":"981","name":"Goals Over/Under","odds":[{"id":"7","odds":"1.90","header":"Over","name":"2.5"},{"id":"8","odds":"1.90","header":"Under","name":"2.5"}]},` +
		`"alternative_total_goals":{"id":"10202","name":"Alternative Total Goals","odds":[{"id":"9","odds":"1.30","header":"Over","name":"1.5"},{"id":"10","odds":"3.40","header":"Under","name":"1.5"},` +
		`{"id":"11","odds":"3.00","header":"Over","name":"3.5"},{"id":"12","odds":"1.35","header":"Under","name":"3.5"}]}}}`
	root.Cycle(0, nil, dataroot.Listing(dataroot.Listed("7", "Beşiktaş", "Malmö FF"), dataroot.Listed("8", "Malmö Home", "Ørn")), dataroot.Offer("7", markets), dataroot.Offer("8", markets))
	head, _, err := snapshot.Head(root.Mem)
	check.Must(t, err)
	manifest, err := snapshot.Open(root.Mem, head)
	check.Must(t, err)
	for text, want := range map[string]string{
		"besiktas match result home": "Match result (Full Time Result), HOME", "Beşiktaş Malmö match result": "Match result (Full Time Result)",
		"besiktas half time result draw": "Match result, first half (Half Time Result), DRAW", "besiktas 1h match result away": "Match result, first half (Half Time Result), AWAY",
		"besiktas total goals over 2.5": "Total goals (Goals Over/Under), OVER 2.5", "besiktas TOTAL_GOALS under 1.5": "Total goals (Alternative Total Goals), UNDER 1.5",
		"besiktas alternative total goals": "Total goals (Alternative Total Goals)", "besiktas total goals": "several", "besiktas total goals over": "several",
		"besik match result home": "Match result (Full Time Result), HOME", "Beş mal total goals over 2.5": "Total goals (Goals Over/Under), OVER 2.5",
		"malm match result home": "several", "besik corners": "no", "be match result home": "unknown", "such match result": "unknown",
		"malmo match result home": "several", "malmo home match result home": "Match result (Full Time Result), HOME",
		"besiktas home": "no", "besiktas corners": "no", "besiktas match result nobody": "no", "fenerbahce match result": "unknown", "besiktas": "unknown",
	} {
		path, err := pricedIn(root.Mem, text)
		got := ""
		switch {
		case errors.As(err, new(Several)):
			got = "several"
		case errors.Is(err, ErrUnknown):
			got = "unknown"
		case err != nil:
			got = "no"
		default:
			ids := strings.Split(path, "/")
			_, rows, _, err := snapshot.FixtureOf(root.Mem, head, manifest, ids[0])
			check.Must(t, err)
			for i := range rows {
				if rows[i].MarketID != ids[1] {
					continue
				}
				got = history.Heading(&rows[i])
				for j := range rows[i].Selections {
					if len(ids) > 2 && rows[i].Selections[j].SelectionID == ids[2] {
						got += ", " + history.NameOf(&rows[i].Selections[j])
					}
				}
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s (%v)", text, got, want, err)
		}
	}
}

// A name is looked for in all accounts. Teams with the name as typed come before those with its words
// somewhere.
func TestCandidates(t *testing.T) {
	type fixture struct{ account, id, home, away string }
	rovers := fixture{"b", "fx_1", "Thornwick FC", "Millbrook Rovers"}
	for name, c := range map[string]struct {
		fixtures []fixture
		want     string
	}{
		"words, then the name": {[]fixture{rovers, {"a", "fx_2", "Millbrook FC", "AFC Marlpool"}}, "Millbrook FC – AFC Marlpool"},
		"the name, then words": {[]fixture{{"a", "fx_2", "Millbrook FC", "AFC Marlpool"}, rovers}, "Millbrook FC – AFC Marlpool"},
		"one in two accounts":  {[]fixture{{"a", "fx_2", "Millbrook FC", "X"}, {"b", "fx_2", "Millbrook FC", "X"}}, "Millbrook FC – X"},
		"other ones in each":   {[]fixture{{"a", "fx_2", "Millbrook FC", "X"}, {"b", "fx_3", "Y", "Millbrook FC"}}, `"Millbrook FC" may be Millbrook FC – X (fx_2 of a), Y – Millbrook FC (fx_3 of b): give more of the name, or the id, and the account with --tenant`},
		"words in one account": {[]fixture{rovers}, "Thornwick FC – Millbrook Rovers"},
	} {
		query := names.Search("Millbrook FC")
		var all Candidates
		for _, f := range c.fixtures {
			own := Candidates{account: f.account}
			own.Add(query, f.id, &f.home, &f.away)
			all.merge(own)
		}
		got := ""
		if err := all.Err("Millbrook FC"); err != nil {
			got = err.Error()
		} else if all.all == 1 {
			got = all.names[0]
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
