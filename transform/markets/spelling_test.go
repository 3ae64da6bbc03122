package markets_test

import (
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/provider/sportmonks"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// Rows where one text says the selection and another names the teams in the bookmaker's own
// spelling: whatever is no word of the team's name could have another meaning.
func TestSpellings(t *testing.T) {
	const shape = input.RepeatedTexts | input.EachSaysAll
	result, double, halves := claim{Market: "MATCH_RESULT", Shape: shape}, claim{Market: "DOUBLE_CHANCE", Shape: shape}, claim{Market: "HALF_TIME_FULL_TIME", Shape: shape}
	for _, c := range []struct {
		home, away string
		claim      claim
		row        string
		want       string // the selection, "" if the row is not read
	}{
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle", "HOME"},
		{"Newcastle United", "Nottingham Forest", result, "label=Newcastle|name=1", "HOME"},
		{"FK Bodø / Glimt", "NEC Nijmegen", result, "label=1|name=Bodo/Glimt", "HOME"},
		{"FK Bodø / Glimt", "NEC Nijmegen", result, "label=2|name=NEC", "AWAY"},
		{"FC Schalke 04", "Hertha BSC", result, "label=1|name=Schalke 04", "HOME"},
		{"Manchester City", "Manchester United", result, "label=2|name=Man Utd", "AWAY"},
		{"Newcastle United", "Nottingham Forest", result, "label=2|name=Nottm Forest", "AWAY"},
		{"FK Bodø / Glimt", "NEC Nijmegen", double, "label=1X|name=Bodo/Glimt or Draw", "1X"},
		{"FK Bodø / Glimt", "NEC Nijmegen", double, "label=1X|name=Draw or Bodo/Glimt", "1X"},
		{"FK Bodø / Glimt", "NEC Nijmegen", double, "label=12|name=Bodo/Glimt or NEC", "12"},
		{"Newcastle United", "Nottingham Forest", halves, "label=Newcastle - Draw|name=Home/Draw", "HOME/DRAW"},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Forest", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=X|name=Newcastle", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=Newcastle", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=Newcastle|name=Forest", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle Yes", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle to win to nil", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle or Draw", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle +1", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle 2", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=The Magpies", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=NU", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=2|name=Ottm Forest", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Nottm Forest", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=-", ""},
		{"Newcastle United", "Nottingham Forest", result, "label=1|name=Newcastle|total=2.5", ""},
		{"Manchester City", "Manchester United", result, "label=1|name=Manchester", ""},
		{"Manchester City", "Manchester United", result, "label=1|name=Man City", "HOME"},
		{"FC Schalke 04", "Hertha BSC", result, "label=1|name=Schalke 05", ""},
		{"FK Bodø / Glimt", "NEC Nijmegen", double, "label=1X|name=NEC or Draw", ""},
		{"FK Bodø / Glimt", "NEC Nijmegen", double, "label=1X|name=Bodo/Glimt or NEC", ""},
		{"Newcastle United", "Nottingham Forest", halves, "label=Draw - Newcastle|name=Home/Draw", ""},
		{"", "Nottingham Forest", result, "label=2|name=Forest", ""},
	} {
		c.claim.Dialect = sportmonks.Dialect()
		rows := []string{c.row + " @2.00"}
		if c.claim.Market == result.Market {
			rows = append(rows, "label=X @3.40") // without its draw a result is not mapped
		}
		m := derive(c.home, c.away, offerOf(&c.claim, rows...))[0]
		got := ""
		if s := m.Selections[0]; s.Quality.Publishable {
			got = s.Selection
		}
		if got != c.want {
			t.Errorf("%s - %s, %s: %q, want %q", c.home, c.away, c.row, got, c.want)
		}
	}
}

// What a row means under other names does not depend on the fixtures read before.
func TestSpellingsOfFixtures(t *testing.T) {
	c := claim{Market: "MATCH_RESULT", Shape: input.EachSaysAll, Dialect: sportmonks.Dialect()}
	o := offerOf(&c, "label=1|name=NEC @2.00", "label=X @3.40")
	d := markets.New(identity.NewMinter(identity.Key{1}, "sportmonks"))
	for _, home := range []string{"Ajax", "NEC Nijmegen", "Ajax", "NEC Nijmegen"} {
		f := fixture(home, "Feyenoord")
		m := d.Derive(&f, []input.Offer{o})[0]
		if got := m.Selections[0].Quality.Publishable; got != (home != "Ajax") {
			t.Errorf("%s: publishable %v", home, got)
		}
	}
}
