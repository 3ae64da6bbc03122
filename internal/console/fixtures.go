package console

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/names"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Limits of the list of fixtures.
const (
	fixturesShown   = 100
	maxFixtureLists = 8   // datasets whose newest list is kept in memory
	maxLeagues      = 500 // in the choice of leagues
	maxQuery        = 200
)

// fixtureList is the fixtures of a publication, in the order of kick-off.
type fixtureList struct {
	commit   snapshot.Commit
	manifest snapshot.Manifest
	rows     []fixtureRow
	leagues  []string
}

// fixtureRow is a fixture with its text for searches.
type fixtureRow struct {
	table.FixtureRow
	words string
}

// fixtureLists keeps the newest list of some datasets.
type fixtureLists struct {
	mu    sync.Mutex
	lists map[dataset.Dataset]*fixtureList
}

// list returns the fixtures of the newest publication; nil if there is none.
func (f *fixtureLists) list(d dataset.Dataset) (*fixtureList, error) {
	root, err := d.Open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	commit, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.lists[d]; l != nil && l.commit.SHA256 == commit.SHA256 {
		return l, nil
	}
	l := &fixtureList{commit: commit}
	if l.manifest, err = snapshot.Open(root, commit); err != nil {
		return nil, err
	}
	for row, err := range snapshot.VerifiedRows[table.FixtureRow](root, commit.Dir(), l.manifest, layout.FixturesFile) {
		if err != nil {
			return nil, err
		}
		l.add(*row)
	}
	slices.SortStableFunc(l.rows, func(a, b fixtureRow) int { return compareKnown(a.StartsAt, b.StartsAt, time.Time.Compare) })
	slices.Sort(l.leagues)
	l.leagues = slices.Compact(l.leagues)
	if f.lists == nil || len(f.lists) >= maxFixtureLists {
		f.lists = map[dataset.Dataset]*fixtureList{}
	}
	f.lists[d] = l
	return l, nil
}

func (l *fixtureList) add(row table.FixtureRow) {
	if row.League != nil {
		l.leagues = append(l.leagues, *row.League)
	}
	l.rows = append(l.rows, searched(row))
}

// searched adds to a fixture its text for searches.
func searched(row table.FixtureRow) fixtureRow {
	words := []string{row.FixtureID, row.ProviderFixtureID}
	for _, s := range []*string{row.Home, row.Away, row.League} {
		if s != nil {
			words = append(words, names.Fold(*s))
		}
	}
	return fixtureRow{row, strings.Join(words, "\n")}
}

// compareKnown compares two values; an unknown one comes last.
func compareKnown[T any](a, b *T, compare func(a, b T) int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return compare(*a, *b)
}

// fixturesBody is the content of the page of an account's fixtures.
type fixturesBody struct {
	picker
	Query, League, From, To, With string
	Leagues                       []string
	Commit                        snapshot.Commit
	FetchedAt                     *time.Time
	Rows                          []fixtureRow
	All, Matching                 int
	First, Last                   int
	Before, After                 string // addresses of the pages before and after; "" if there is none
	Departed                      departedShown
}

func (c *Console) fixtures(r *http.Request) (view, error) {
	p, err := c.pickOf(r, "/fixtures", dataset.Filter{Product: string(football.MarketEngine)})
	if err != nil {
		return view{}, err
	}
	q := r.URL.Query()
	b := fixturesBody{picker: p, Query: q.Get("q"), League: q.Get("league"), From: q.Get("from"), To: q.Get("to"), With: q.Get("with")}
	v := view{Page: "fixtures", Section: "fixtures", Title: "Fixtures", Body: &b}
	if p.Account == "" {
		return v, nil
	}
	v.Title = "Fixtures of " + p.Account
	list, err := c.fixtureLists.list(p.dataset)
	if err != nil || list == nil {
		return v, err
	}
	b.Commit, b.FetchedAt, b.All = list.commit, list.manifest.ProviderFetchedAt, len(list.rows)
	b.Leagues = list.leagues[:min(len(list.leagues), maxLeagues)]
	matches, err := b.selects()
	if err != nil {
		return v, err
	}
	if b.Departed, err = c.searchDeparted(r.Context(), p.dataset, list, b.Query, matches); err != nil {
		return v, err
	}
	var matching []fixtureRow
	for i := range list.rows {
		if matches(&list.rows[i]) {
			matching = append(matching, list.rows[i])
		}
	}
	return v, b.page(r, matching)
}

// selects returns a function that reports whether the form selects a fixture.
func (b *fixturesBody) selects() (func(*fixtureRow) bool, error) {
	if len(b.Query) > maxQuery || len(b.League) > maxQuery {
		return nil, badRequest("q and league: want at most %d characters.", maxQuery)
	}
	if b.With != "" && b.With != "markets" && b.With != "none" {
		return nil, badRequest("with=%s: want markets, none, or nothing.", b.With)
	}
	from, err := formTime("from", b.From)
	if err != nil {
		return nil, err
	}
	to, err := formTime("to", b.To)
	if err != nil {
		return nil, err
	}
	query := names.Search(b.Query)
	return func(row *fixtureRow) bool {
		at := row.StartsAt
		switch {
		case b.League != "" && (row.League == nil || *row.League != b.League),
			b.With == "markets" && row.MarketCount == 0, b.With == "none" && row.MarketCount > 0,
			!from.IsZero() && (at == nil || at.Before(from)), !to.IsZero() && (at == nil || at.After(to)),
			!query.MatchesFolded(row.words):
			return false
		}
		return true
	}, nil
}

// page cuts the requested page from the matching fixtures.
func (b *fixturesBody) page(r *http.Request, matching []fixtureRow) error {
	b.Matching = len(matching)
	number, pages := 1, max(1, (len(matching)+fixturesShown-1)/fixturesShown)
	if text := r.URL.Query().Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return badRequest("page=%s: want the number of a page, from 1.", text)
		}
		number = min(n, pages)
	}
	first := (number - 1) * fixturesShown
	b.Rows = matching[first:min(first+fixturesShown, len(matching))]
	b.First, b.Last = first+1, first+len(b.Rows)
	link := func(n int) string {
		q := r.URL.Query()
		q.Del("account")
		q.Set("page", strconv.Itoa(n))
		return "/fixtures/" + b.Account + "?" + q.Encode()
	}
	if number > 1 {
		b.Before = link(number - 1)
	}
	if number < pages {
		b.After = link(number + 1)
	}
	return nil
}

// formTime reads a time of a form, in UTC; zero for an empty one.
func formTime(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly, time.RFC3339Nano} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, badRequest("%s=%s: want a time in UTC such as 2026-11-21T14:05.", name, text)
}

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

// openFixture reads the account and the fixture of an address, and opens the account's markets.
func (c *Console) openFixture(r *http.Request) (d dataset.Dataset, id string, root *durable.Disk, err error) {
	if d, err = c.dataset(r.PathValue("account"), string(football.MarketEngine)); err != nil {
		return d, "", nil, err
	}
	if id = r.PathValue("fixture"); len(id) > 64 || !strings.HasPrefix(id, "fx_") {
		return d, "", nil, badRequest("%q is not the id of a fixture.", id)
	}
	root, err = d.Open()
	return d, id, root, err
}

// marketLink returns the address of a market's page with choices.
func marketLink(account, fixture, market string, q url.Values) string {
	link := fmt.Sprintf("/fixtures/%s/%s/%s", account, fixture, url.PathEscape(market))
	if len(q) > 0 {
		link += "?" + q.Encode()
	}
	return link
}

// explainLink returns the address of an explanation as of a version.
func explainLink(account string, product football.Product, version uint64, target ...string) string {
	for i := range target {
		target[i] = url.PathEscape(target[i])
	}
	return fmt.Sprintf("/explain/%s/%s/%s?at=v%d", account, product, strings.Join(target, "/"), version)
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

// LeagueText returns the league for people.
func (r fixtureRow) LeagueText() string {
	if r.League == nil {
		return "–"
	}
	return cmp.Or(*r.League, "–")
}

// odds are the prices of a line of a market, with the fixture and market for their links.
type odds struct {
	Fixture *fixtureBody
	Market  marketCard
	Prices  []price
}

// Odds returns the prices of a line for the template.
func (b *fixtureBody) Odds(m marketCard, l priceLine) odds { return odds{b, m, l.Prices} }

// Name returns the teams.
func (r fixtureRow) Name() string { return history.FixtureName(&r.FixtureRow) }
