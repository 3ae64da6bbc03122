package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/dataset"
	doc "mkt/internal/evidence/document"
	"mkt/internal/evidence/history"
	"mkt/internal/evidence/names"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
	"mkt/serve/requests"
)

// Kind is what a search looks for, or finds.
type Kind string

const (
	Fixture   Kind = "fixture"
	Match     Kind = "match" // a fixture of live intelligence
	Market    Kind = "market"
	Selection Kind = "selection"
	Cycle     Kind = "cycle"
	Request   Kind = "request"
	Words     Kind = "words" // of teams and leagues
)

// Limits of a search.
const (
	MaxQuery  = 500 // characters
	maxHits   = 50
	maxUnread = 20 // that are named
)

// Hit is what a search found.
type Hit struct {
	Kind
	dataset.Dataset        // its account; the product is "" for a request
	ID              string // of the fixture, market, cycle or request
	Fixture         string // of a market; "" for others
	Name            string
	At              time.Time // kick-off, beginning of the cycle, or answer; zero if unknown

	phrase, inPlay bool
}

// Results are what a search found.
type Results struct {
	Query  string
	Kind   Kind  // as what the query was understood
	Hits   []Hit // at most 50
	More   int   // others
	Unread []string
}

// ids are those that mkt makes, in any text.
var ids = regexp.MustCompile(`(?i:\b(?:fx|mk|sl|req)_[a-z2-7]{24,26}(?:~[a-z2-7]{8})?\b)|\b\d{8}T\d{6}Z-[a-z_]+`)

// idIn returns the one id in a text, such as an answer or an address that a client sent; else the text.
func idIn(text string) string {
	found := ids.FindAllString(text, -1)
	if len(found) == 0 || slices.ContainsFunc(found, func(id string) bool { return id != found[0] }) {
		return text
	}
	if found[0][0] > '9' { // it is no cycle, which has capitals
		return strings.ToLower(found[0])
	}
	return found[0]
}

// Search looks for the id in a text, or for the words of a team or a league, in the newest publications of
// datasets, of fixtures in all kept ones, and for requests in the folder that serve writes them to. What cannot be
// read is left out and named. A search that ctx ends has what it found until then.
func Search(ctx context.Context, list []dataset.Dataset, requestsDir, text string) Results {
	text = idIn(strings.TrimSpace(text))
	r := Results{Query: text, Kind: Words}
	look := func(dataset.Dataset, durable.ReadFS) error { return nil }
	cycle, err := snapshot.ParseMoment(text, time.Time{})
	query := names.Search(text)
	switch isCycle := err == nil && cycle.IsCycle(); {
	case football.IsFixtureID(text):
		r.Kind, look = Fixture, func(d dataset.Dataset, f durable.ReadFS) error { return r.fixture(ctx, d, f) }
	case football.IsMarketID(text):
		r.Kind, look = Market, r.market
	case football.IsSelectionID(text):
		r.Kind, look = Selection, r.market
	case isCycle:
		r.Kind, look = Cycle, r.cycle
	case strings.HasPrefix(text, "req_"):
		r.Kind, list = Request, nil
		r.request(requestsDir)
	case !query.Empty():
		look = func(d dataset.Dataset, f durable.ReadFS) error { return r.words(query, d, f) }
		r.request(requestsDir) // a client may give it an id that is a word
	}
	asked := len(r.Hits)
	for i, d := range list {
		if ctx.Err() != nil {
			r.Unread = append(r.Unread, fmt.Sprintf("%d of %d products: the search took too long", len(list)-i, len(list)))
			break
		}
		if err := r.lookIn(d, look); err != nil {
			r.Unread = append(r.Unread, fmt.Sprintf("%s: %v", d, err))
		}
		if len(r.Hits) > 10*maxHits {
			r.cut(asked)
		}
	}
	r.cut(asked)
	return r
}

// cut leaves the first hits, in their order. The first of them, of requests, keep their places.
func (r *Results) cut(requests int) {
	if r.Kind == Words {
		slices.SortStableFunc(r.Hits[requests:], func(a, b Hit) int {
			return cmp.Or(order(a.phrase, b.phrase), order(a.inPlay, b.inPlay), a.At.Compare(b.At), cmp.Compare(a.Name, b.Name))
		})
	}
	more := max(0, len(r.Hits)-maxHits)
	r.More += more
	r.Hits = r.Hits[:len(r.Hits)-more]
}

// order puts true before false.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (r *Results) lookIn(d dataset.Dataset, look func(dataset.Dataset, durable.ReadFS) error) error {
	root, err := d.Open()
	if err != nil {
		return err
	}
	defer root.Close()
	return look(d, root)
}

// open opens the newest publication; false if there is none.
func open(root durable.ReadFS) (head snapshot.Commit, m snapshot.Manifest, published bool, err error) {
	if head, published, err = snapshot.Head(root); err == nil && published {
		m, err = snapshot.Open(root, head)
	}
	return head, m, published, err
}

// fixture looks for a fixture in every publication of markets, and in the newest one of live data.
func (r *Results) fixture(ctx context.Context, d dataset.Dataset, root durable.ReadFS) error {
	if d.Product == football.MarketEngine {
		path, err := history.Read(ctx, history.Options{Root: root, Fixture: r.Query})
		if errors.Is(err, history.ErrUnknown) {
			return nil
		}
		if err == nil {
			r.add(Hit{Kind: Fixture, Dataset: d, ID: r.Query, Name: history.FixtureName(&path.Fixture)}, path.Fixture.StartsAt)
		}
		return err
	}
	if slices.ContainsFunc(r.Hits, func(h Hit) bool { return h.Tenant == d.Tenant }) {
		return nil // the page of the fixture leads to the match
	}
	head, _, published, err := open(root)
	if err != nil || !published {
		return err
	}
	return newest(root, head, layout.LiveFile, func(row *table.LiveRow) {
		if row.FixtureID == r.Query {
			r.add(Hit{Kind: Match, Dataset: d, ID: r.Query, Name: Name(row.Home, row.Away)}, row.StartsAt)
		}
	})
}

// market looks for a market, or for the market with a selection.
func (r *Results) market(d dataset.Dataset, root durable.ReadFS) error {
	if d.Product != football.MarketEngine {
		return nil
	}
	head, m, published, err := open(root)
	if err != nil || !published {
		return err
	}
	id, err := snapshot.FixtureWith(root, head, m, r.Query)
	if err != nil || id == "" {
		return err
	}
	fixture, markets, _, err := snapshot.FixtureOf(root, head, m, id)
	if err != nil {
		return err
	}
	for i := range markets {
		if one := &markets[i]; one.MarketID == r.Query || slices.ContainsFunc(one.Selections, func(s table.SelectionRow) bool { return s.SelectionID == r.Query }) {
			r.add(Hit{Kind: r.Kind, Dataset: d, ID: one.MarketID, Fixture: id, Name: history.Title(one) + ", " + history.FixtureName(&fixture)}, fixture.StartsAt)
		}
	}
	return nil
}

// cycle looks for a cycle, whether it was published or not.
func (r *Results) cycle(d dataset.Dataset, root durable.ReadFS) error {
	id := layout.CycleID(r.Query)
	if !strings.Contains(r.Query, "-") {
		id += layout.CycleID("-" + string(d.Product))
	}
	began, product, err := layout.ParseCycleID(string(id))
	if err != nil || product != string(d.Product) {
		return nil
	}
	head, published, err := snapshot.Head(root)
	there := false
	if err == nil && published {
		_, there, err = snapshot.OfCycle(root, head, id)
	}
	if !there {
		_, unread := raw.Open(root, id)
		there = unread == nil
	}
	if there {
		r.add(Hit{Kind: Cycle, Dataset: d, ID: string(id), Name: "cycle of " + product}, &began)
	}
	return err
}

// request looks for requests with an id: the newest one of each account, whose page has them all.
func (r *Results) request(dir string) {
	root, err := durable.OpenExisting(dir)
	if err == nil {
		defer root.Close()
		var list []requests.Found
		list, err = requests.Find(root, r.Query)
		for i := range list {
			one := &list[i]
			if slices.ContainsFunc(r.Hits, func(h Hit) bool { return h.Tenant == one.ClientID }) {
				continue
			}
			name := one.Path()
			switch {
			case one.Refused():
				name += " " + one.Code
			case one.Status > 0: // else it is a message of a socket
				name += fmt.Sprint(" ", one.Status)
			}
			r.add(Hit{Kind: Request, Dataset: dataset.Dataset{Tenant: one.ClientID}, ID: one.ID, Name: name}, &one.At)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Unread = append(r.Unread, fmt.Sprintf("requests: %v", err))
	}
}

// words looks for the words of a query in the teams, leagues and ids of fixtures.
func (r *Results) words(query names.Query, d dataset.Dataset, root durable.ReadFS) error {
	head, _, published, err := open(root)
	if err != nil || !published {
		return err
	}
	add := func(h Hit, text string, home, away *string, at *time.Time) {
		if query.MatchesFolded(text) {
			h.Dataset, h.Name = d, Name(home, away)
			h.phrase = query.MatchesPhrase(h.Name)
			r.add(h, at)
		}
	}
	if d.Product == football.LiveIntelligence {
		return newest(root, head, layout.LiveFile, func(row *table.LiveRow) {
			add(Hit{Kind: Match, ID: row.FixtureID, inPlay: row.InPlay}, FoldedLive(row), row.Home, row.Away, row.StartsAt)
		})
	}
	return newest(root, head, layout.FixturesFile, func(row *table.FixtureRow) {
		add(Hit{Kind: Fixture, ID: row.FixtureID}, Folded(row), row.Home, row.Away, row.StartsAt)
	})
}

// Folded returns the text of a fixture in which searches look, for [names.Query.MatchesFolded].
func Folded(row *table.FixtureRow) string {
	return folded([]string{row.FixtureID, row.ProviderFixtureID}, row.Home, row.Away, row.League)
}

// FoldedLive is [Folded] of a match.
func FoldedLive(row *table.LiveRow) string {
	return folded([]string{row.FixtureID, row.ProviderFixtureID}, row.Home, row.Away, row.League)
}

func folded(words []string, texts ...*string) string {
	for _, s := range texts {
		if s != nil {
			words = append(words, names.Fold(*s))
		}
	}
	return strings.Join(words, "\n")
}

func (r *Results) add(h Hit, at *time.Time) {
	if at != nil {
		h.At = at.UTC()
	}
	r.Hits = append(r.Hits, h)
}

// Address returns the address of the page of the console about it.
func (h *Hit) Address() string {
	switch id := url.PathEscape(h.ID); h.Kind {
	case Match:
		return "/live/" + h.Tenant + "/" + id
	case Market, Selection:
		return "/fixtures/" + h.Tenant + "/" + h.Fixture + "/" + id
	case Cycle:
		return "/cycles/" + h.Tenant + "/" + string(h.Product) + "/" + id
	case Request:
		return "/requests/" + h.Tenant + "?id=" + url.QueryEscape(h.ID)
	default:
		return "/fixtures/" + h.Tenant + "/" + id
	}
}

// Only returns the address of the one thing with the id of the query; "" if there is none, or several.
func (r *Results) Only() string {
	if len(r.Hits) != 1 || r.Kind == Words && r.Hits[0].Kind != Request {
		return ""
	}
	return r.Hits[0].Address()
}

// Searchable says what can be searched for.
const Searchable = "A search finds in all accounts: a team or a league, also without accents, and an id mk_… or sl_… in the newest publications, an id fx_… in all that are kept, a cycle such as 20261121T140312Z-market_engine, and the id of a request that is still kept: those of unknown paths and methods are only in the log of mkt serve."

// Document returns the results for people.
func (r *Results) Document() *doc.Document {
	found := doc.Section{}
	note := func(line doc.Line) { found.Notes = append(found.Notes, doc.Note{Line: line}) }
	switch {
	case r.Query == "":
		note(doc.Words(Searchable))
	case len(r.Hits) == 0:
		note(doc.Format("Nothing was found for %s.", doc.Strong(r.Query)))
		note(doc.Words(Searchable))
	case r.More > 0:
		note(doc.Format("%d found for %s; these are the first %d: give more of the name.", len(r.Hits)+r.More, doc.Strong(r.Query), len(r.Hits)))
	default:
		note(doc.Format("%d found for %s.", len(r.Hits), doc.Strong(r.Query)))
	}
	for _, what := range r.Unread[:min(len(r.Unread), maxUnread)] {
		note(doc.Styled(terminal.Warn, "left out: "+what))
	}
	if more := len(r.Unread) - maxUnread; more > 0 {
		note(doc.Styled(terminal.Warn, fmt.Sprintf("left out: %d more", more)))
	}
	if len(r.Hits) > 0 {
		found.Table = &doc.Table{Class: "lines", Columns: doc.Columns("Name", "What", "Account", "Time", "Id")}
	}
	for i := range r.Hits {
		h := &r.Hits[i]
		what := string(h.Kind)
		if h.inPlay {
			what = "in play"
		}
		found.Table.Add(doc.Link(h.Address(), h.Name), what, h.Tenant, doc.At(h.At), doc.Code(h.ID))
	}
	return &doc.Document{Title: "Search", Sections: []doc.Section{found}}
}
