package console

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"mkt/internal/evidence/history"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// fixtureBody is the content of the page of a fixture.
type fixtureBody struct {
	Account string
	table.FixtureRow
	Name        string
	Version     uint64
	Cycle       layout.CycleID
	ProcessedAt *time.Time
	PublishedAt time.Time
	Removed     bool // the newest publication does not have it
	Publication *publication
	Groups      []marketGroup
	Raw         int
	Withheld    int
}

type marketGroup struct {
	Name, Anchor string
	Raw          bool
	Markets      []marketCard
}

// marketCard is a market of a fixture with its prices.
type marketCard struct {
	*table.MarketRow
	Title  string
	Reason string // why it is not mapped
	Lines  []priceLine
	More   []priceLine // behind a click: a fixture may have thousands of prices
	Hidden int         // prices in More
}

// cardPrices is how many prices of a market are shown at once.
const cardPrices = 9

// fold orders the lines of a card as numbers, leaves about cardPrices prices around the main line
// visible, and puts the rest behind a click.
func (c *marketCard) fold() {
	slices.SortStableFunc(c.Lines, func(a, b priceLine) int { return history.CompareLines(a.Line, b.Line) })
	main := history.MainLine(c.MarketRow)
	from := max(0, slices.IndexFunc(c.Lines, func(l priceLine) bool { return l.Line == main }))
	to, shown := from, 0
	for to < len(c.Lines) && (to == from || shown+len(c.Lines[to].Prices) <= cardPrices) {
		shown += len(c.Lines[to].Prices)
		if to++; from > 0 && shown+len(c.Lines[from-1].Prices) <= cardPrices {
			from--
			shown += len(c.Lines[from].Prices)
		}
	}
	for from > 0 && shown+len(c.Lines[from-1].Prices) <= cardPrices {
		from--
		shown += len(c.Lines[from].Prices)
	}
	c.More = slices.Concat(c.Lines[:from], c.Lines[to:])
	c.Lines = c.Lines[from:to]
	if only := &c.Lines; len(*only) == 1 && shown > cardPrices {
		l := (*only)[0]
		*only = []priceLine{{l.Line, l.Prices[:cardPrices]}}
		c.More = append([]priceLine{{l.Line, l.Prices[cardPrices:]}}, c.More...)
	}
	for _, l := range c.More {
		c.Hidden += len(l.Prices)
	}
}

// priceLine is a line of a market with its selections.
type priceLine struct {
	Line   string
	Prices []price
}

type price struct {
	*table.SelectionRow
	Name  string
	Point history.Point
	Note  string
}

// fixture shows a fixture in the newest publication, or else in the newest one with it.
func (c *Console) fixture(r *http.Request) (view, error) {
	d, id, root, err := c.openFixture(r)
	if err != nil {
		return view{}, err
	}
	defer root.Close()
	b := &fixtureBody{Account: d.Tenant}
	then, err := publicationOf(r, root)
	if err != nil {
		return view{}, err
	}
	if then == nil {
		return view{}, notFound("Nothing of account %s was published yet.", d.Tenant)
	}
	manifest, err := snapshot.Open(root, then.commit)
	if err != nil {
		return view{}, err
	}
	row, markets, found, err := snapshot.FixtureOf(root, then.commit, manifest, id)
	if err != nil {
		return view{}, err
	}
	b.Publication, b.Version, b.Cycle, b.ProcessedAt, b.PublishedAt = then, then.Version, then.commit.CycleID, manifest.ProcessedAt, then.PublishedAt
	if !found && then.IsPast() {
		return view{}, notFound("Version %d does not have this fixture.", then.Version)
	}
	if !found {
		past, err := history.Read(r.Context(), history.Options{Root: root, Fixture: id})
		if err != nil {
			return view{}, unknownFixture(err, d.Tenant, id)
		}
		s := &past.Steps[past.Newest()]
		row, markets, b.Removed = past.Fixture, past.Offered(), true
		b.Version, b.Cycle, b.ProcessedAt, b.PublishedAt = s.Version, s.Cycle, &s.ProcessedAt, s.PublishedAt
	}
	b.FixtureRow, b.Name = row, history.FixtureName(&row)
	for _, g := range history.Grouped(markets) {
		b.add(g)
	}
	return view{Page: "fixture", Section: "fixtures", Title: b.Name, Body: b}, nil
}

func (b *fixtureBody) add(g history.Group) {
	group := marketGroup{Name: g.Name, Anchor: strings.ReplaceAll(strings.ToLower(g.Name), " ", "-")}
	for _, m := range g.Markets {
		card := marketCard{MarketRow: m, Title: history.Title(m)}
		if m.Market == nil {
			group.Raw = true
			b.Raw++
			if m.RawReason != nil {
				card.Reason = rawReason(football.Reason(*m.RawReason))
			}
		}
		at := map[string]int{}
		for i := range m.Selections {
			s := &m.Selections[i]
			line := history.LineOf(s)
			n, ok := at[line]
			if !ok {
				n = len(card.Lines)
				at[line], card.Lines = n, append(card.Lines, priceLine{Line: line})
			}
			p := price{SelectionRow: s, Name: history.NameOf(s), Point: history.PointOf(s)}
			p.Note = p.Point.Note()
			if p.Point.State != history.Offered {
				b.Withheld++
			}
			card.Lines[n].Prices = append(card.Lines[n].Prices, p)
		}
		card.fold()
		group.Markets = append(group.Markets, card)
	}
	b.Groups = append(b.Groups, group)
}

// rawReason says why a market is not mapped.
func rawReason(r football.Reason) string {
	switch r {
	case football.UnknownMarket:
		return "the name is not in the mapping table"
	case football.NeverMapped:
		return "what it means cannot be proven from the payload"
	case football.ConditionFailed:
		return "its selections do not pass the test of the mapping table"
	case football.MixedMarket:
		return "it has several markets in one, which cannot be distinguished"
	case football.NoParticipants:
		return "it needs the teams' names, which were not sent"
	}
	return string(r)
}

// ExplainLink returns the address of the explanation of the fixture or of something in it.
func (b *fixtureBody) ExplainLink(target ...string) string {
	return explainLink(b.Account, football.MarketEngine, b.Version, append([]string{b.FixtureID}, target...)...)
}

// MarketLink returns the address of the page of a market.
func (b *fixtureBody) MarketLink(market string) string {
	return marketLink(b.Account, b.FixtureID, market, nil)
}

// Sent returns a text of the fixture, or why there is none.
func (b *fixtureBody) Sent(column string, value *string) string {
	if value != nil {
		return *value
	}
	if slices.Contains(b.Absent, column) {
		return "absent: not sent"
	}
	return "null: sent without a value"
}

// odds are the prices of a line of a market, with the fixture and market for their links.
type odds struct {
	Fixture *fixtureBody
	Market  marketCard
	Prices  []price
}

// Odds returns the prices of a line for the template.
func (b *fixtureBody) Odds(m marketCard, l priceLine) odds { return odds{b, m, l.Prices} }
