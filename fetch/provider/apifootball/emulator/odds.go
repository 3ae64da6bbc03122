package emulator

import (
	"slices"
	"strconv"
	"time"

	"mkt/fetch/provider/apifootball/internal/api"
	"mkt/fetch/simulator"
	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/meant"
	"mkt/fetch/simulator/world"
)

// perPage is how many fixtures a page of odds has.
const perPage = 10

// mainMaker is the bookmaker with the world's newest prices. Those of the others are a
// little older, so some differ.
const mainMaker = 8

// makers are the bookmakers, by their ids.
var makers = []struct {
	id   int
	name string
}{{4, "Pinnacle"}, {6, "Bwin"}, {mainMaker, "Bet365"}}

// oddsPage answers a request for the odds of a day.
func (d *dialect) oddsPage(q simulator.Question) ([][]byte, simulator.Page) {
	maker := q.Query.Get(api.ParamBookmaker)
	known := maker == ""
	for _, m := range makers {
		known = known || maker == strconv.Itoa(m.id)
	}
	var all []*bookmaker.Offering
	for _, f := range q.World.Football(q.Now.Truncate(time.Minute)) {
		if !known || dayOf(f) != q.Query.Get(api.ParamDate) {
			continue
		}
		if o, ok := q.World.Offering(f.Number, q.Now); ok && offersAny(o) {
			all = append(all, o)
		}
	}
	n, _ := strconv.Atoi(q.Query.Get(api.ParamPage))
	part, page := simulator.PageOf(all, max(n, 1), perPage)
	items := [][]byte{}
	for _, o := range part {
		items = append(items, d.odds.Get(oddsKey{q.World, o.Fixture.Number, o.Version, maker}, func() []byte { return render(q.World, o, maker) }))
	}
	return items, page
}

// offersAny reports whether anything is sold on a fixture.
func offersAny(o *bookmaker.Offering) bool {
	return slices.ContainsFunc(bets, func(b bet) bool { return o.Sells(b.of...) })
}

type betJSON struct {
	ID     int         `json:"id"`
	Name   string      `json:"name"`
	Values []valueJSON `json:"values"`
}

type valueJSON struct {
	Value any    `json:"value"`
	Odd   string `json:"odd"`
}

// render writes the odds of one bookmaker, or of all of them.
func render(w *world.World, o *bookmaker.Offering, maker string) []byte {
	type bookmaker struct {
		ID   int       `json:"id"`
		Name string    `json:"name"`
		Bets []betJSON `json:"bets"`
	}
	books := []bookmaker{}
	for _, m := range makers {
		if maker != "" && maker != strconv.Itoa(m.id) {
			continue
		}
		b := bookmaker{ID: m.id, Name: m.name, Bets: []betJSON{}}
		for i := range bets {
			bet := betJSON{ID: bets[i].id, Name: bets[i].name}
			for _, r := range rows(&bets[i], o, m.id) {
				bet.Values = append(bet.Values, valueJSON{valueOf(r.value), r.Price})
			}
			if bet.Values != nil {
				b.Bets = append(b.Bets, bet)
			}
		}
		books = append(books, b)
	}
	return simulator.JSON(struct {
		League     league      `json:"league"`
		Fixture    reference   `json:"fixture"`
		Update     string      `json:"update"`
		Bookmakers []bookmaker `json:"bookmakers"`
	}{leagueOf(o.Fixture), referenceOf(w, o.Fixture), o.Since.Format(timeForm), books})
}

// row is a row of a bet.
type row struct {
	bookmaker.Priced
	ref   bookmaker.Ref
	value string
}

// rows returns the rows of a bet at a bookmaker. A row without a price is not sent, and a
// line that two offers share is sent once.
func rows(b *bet, o *bookmaker.Offering, maker int) (all []row) {
	met := make(map[string]bool)
	for _, of := range b.of {
		if !o.Sells(of) {
			continue
		}
		for _, p := range o.Prices(of, bookmaker.Copy{Old: maker != mainMaker}) {
			r := row{p, of.Refs()[p.Ref], b.word.of(of.Refs()[p.Ref], p.Selection)}
			if r.value == "" || r.Price == "" || met[r.value] || b.only != nil && !b.only(r.ref, p.Selection) {
				continue
			}
			met[r.value] = true
			all = append(all, r)
		}
	}
	return all
}

// Markets implements meant.Dialect. A row is identified by its value.
func (*dialect) Markets(_ *world.World, o *bookmaker.Offering) (all []meant.Market) {
	for i := range bets {
		b := &bets[i]
		key := strconv.Itoa(b.id)
		m := meant.Market{Key: key, ID: key, Name: b.name, Proof: b.proof}
		for _, r := range rows(b, o, mainMaker) {
			meant := meant.RowOf(r.ref, r.Selection)
			meant.ID, meant.Decimal = r.value, r.Price
			meant.Doubtful = o.Fixture.Namesake() && r.Player != "" && r.Player == o.Fixture.Home.Players[1]
			m.Rows = append(m.Rows, meant)
		}
		if m.Rows != nil {
			all = append(all, m)
		}
	}
	return all
}

// Playing implements meant.Dialect.
func (d *dialect) Playing(w *world.World, m feed.Match) meant.Match {
	id := d.FixtureID(w, m.Fixture)
	return meant.Match{ID: id, EventID: id, WithoutAttacks: true, CountersLag: 2 * renewedStats, Match: m}
}
