package transform

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// Coverage is how the markets in some payloads are mapped: the output of mkt mapping
// check, and the tables in docs/mapping.md.
type Coverage struct {
	Provider string
	Payloads []PayloadCoverage // those of prices, in the order of their names or of the archive, and for each bookmaker
	Listings int               // payloads that are lists of fixtures
	Others   []OtherPayload    // what is neither, in the order of their names
}

// PayloadCoverage is the coverage of one payload.
type PayloadCoverage struct {
	Name   string
	Number int // of the archived answer; 0 for a file of a folder
	// Bookmaker is whose prices were read; "" if the provider sells those of one.
	Bookmaker string
	// Bookmakers are those whose prices the payload has, if Bookmaker is none of them: then
	// nothing was read.
	Bookmakers []string
	Fixtures   int
	// WithoutNames are the provider ids of fixtures of which a team is not known, so that
	// nothing that depends on a team's name could be proven.
	WithoutNames []string
	Markets      []MarketCoverage // in the provider's order, including those without prices
	Broken       map[string]football.Reason
	Damaged      map[string]int // number of parts that could not be read, by kind
	Unknown      map[string]int // fields that no reader knows
	Skipped      map[string]int
	Suspicions   []SuspiciousMarket // in the order of the markets
	Err          error              // the payload could not be read at all

	partial map[string]bool // whether a fixture could be read in part only, by its provider id
}

// OtherPayload is a payload that the market engine does not read.
type OtherPayload struct {
	Name string
	// Code is what the adapter calls the answer if it is an error, or no answer of the
	// provider; else "".
	Code string
	// Providers are the other providers of which it could be an answer.
	Providers []string
}

// MarketCoverage is one market, or one that was listed without prices.
type MarketCoverage struct {
	Fixture     string // provider fixture id
	Key, Name   string
	ProviderIDs []string
	Sections    []string

	Canonical, Period, Subject string // "" when RAW
	Rule                       string // names the mapping rule, "" when RAW
	RawReason                  football.Reason
	WithoutPrices              bool

	Selections, Publishable int
	Suspended               int                        // selections that were read and are not on offer now
	Reasons                 map[football.Reason]int    // reasons of its selections, with how often each occurs
	Examples                map[football.Reason]string // the words of the first selection with each of Reasons
}

// SuspiciousMarket is one market that looks as if it was misread.
type SuspiciousMarket struct {
	Kind                            markets.Suspicion
	Fixture                         string // provider fixture id
	Key, Canonical, Period, Subject string
	Seen                            string // what is suspicious, for a person
}

// FixtureIDs returns the provider ids of the payload's fixtures, in no order.
func (p *PayloadCoverage) FixtureIDs() iter.Seq[string] { return maps.Keys(p.partial) }

// Totals of a payload, or of several. Selections that are Suspended are not Publishable.
type Totals struct{ Markets, Mapped, Raw, WithoutPrices, Selections, Publishable, Suspended int }

// Totals adds up the payload's markets.
func (p *PayloadCoverage) Totals() (t Totals) {
	for i := range p.Markets {
		m := &p.Markets[i]
		switch {
		case m.WithoutPrices:
			t.WithoutPrices++
			continue
		case m.RawReason != "":
			t.Raw++
		default:
			t.Mapped++
		}
		t.Markets++
		t.Selections += m.Selections
		t.Publishable += m.Publishable
		t.Suspended += m.Suspended
	}
	return t
}

// Totals adds up all payloads.
func (c *Coverage) Totals() (t Totals) {
	for i := range c.Payloads {
		of := c.Payloads[i].Totals()
		t.Markets, t.Mapped, t.Raw, t.WithoutPrices = t.Markets+of.Markets, t.Mapped+of.Mapped, t.Raw+of.Raw, t.WithoutPrices+of.WithoutPrices
		t.Selections, t.Publishable, t.Suspended = t.Selections+of.Selections, t.Publishable+of.Publishable, t.Suspended+of.Suspended
	}
	return t
}

// Teams are the two sides of a fixture.
type Teams struct{ Home, Away string }

// Participants names the teams for payloads of markets, which lack them. If several of
// its fields name a fixture, the last one counts.
type Participants struct {
	Listings [][]byte         // answers of the listing endpoint
	Teams    map[string]Teams // by provider fixture id
	Only     *Teams           // the fixture of all payloads
}

// ErrNotOne: teams were given for one fixture, but the payloads are of none or of
// several.
var ErrNotOne = errors.New("the payloads must be of one fixture")

// participantsFile may be in a folder of payloads without teams. See ReadTeams.
const participantsFile = "participants.csv"

// ReadTeams parses lines of "provider fixture id,home,away".
func ReadTeams(text io.Reader) (map[string]Teams, error) {
	r := csv.NewReader(text)
	r.FieldsPerRecord = 3
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("want lines of \"provider fixture id,home,away\": %w", err)
	}
	teams := make(map[string]Teams, len(lines))
	for _, line := range lines {
		teams[line[0]] = Teams{line[1], line[2]}
	}
	return teams, nil
}

// FolderOptions say how a folder of payloads is read.
type FolderOptions struct {
	Pattern string // names of the files to read, see path.Match; "" is "*.json"
	// Bookmaker is whose prices are read. If it is "", they are the default's, or those of
	// the only bookmaker that a payload has.
	Bookmaker string
	// EachBookmaker reads the prices of every bookmaker that a payload has, one after the
	// other.
	EachBookmaker bool
	Who           Participants
}

// named is a payload of markets with its name in reports.
type named struct {
	name string
	provider.Payload
	bookmaker string
	lacksIt   []string // whose prices the payload has, if it has none of the bookmaker
	err       error    // the file could not be read
}

// CoverFolder reads the payloads below a folder. What a payload is follows from its bytes;
// where they do not tell, from the name of its folder if that is an endpoint's
// ("bet365-upcoming"). The teams come from the listings, participants.csv in the folder,
// and o.Who. An error may be ErrNotOne.
func CoverFolder(folder fs.FS, p provider.Provider, o FolderOptions) (Coverage, error) {
	if p.Markets == nil || p.Recorded == nil {
		return Coverage{}, fmt.Errorf("provider %q: this build does not read its markets", p.Name)
	}
	f := folderReader{provider: p, options: o, coverage: Coverage{Provider: p.Name}}
	if err := f.read(folder); err != nil {
		return Coverage{}, err
	}
	for _, body := range o.Who.Listings {
		f.addListing(p.Recorded(body).Endpoint, body)
	}
	listing, err := p.Markets.ReadListing(f.pages)
	if err != nil {
		return Coverage{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	if len(o.Who.Listings) > 0 && len(listing.Fixtures) == 0 {
		return Coverage{}, errors.New("the list of fixtures: it has no fixtures")
	}
	if err := addParticipants(folder, &listing, f.payloads, p.Markets, o.Who); err != nil {
		return Coverage{}, err
	}
	f.coverage.add(p, listing, f.payloads)
	return f.coverage, nil
}

// CoverArchive reads the payloads of a raw cycle with its own list of fixtures, as
// the pipeline does: a fixture that several payloads have counts in the one that the
// pipeline takes, and one that is not listed, or is over, does not count.
func CoverArchive(a *raw.Archive, p provider.Provider) (Coverage, error) {
	return coverArchive(a, p, func(*PayloadCoverage) {})
}

// Problems is CoverArchive without the markets: what could not be read, and what is suspicious,
// by payload. Its memory does not depend on the size of the cycle, unless everything is wrong.
func Problems(a *raw.Archive, p provider.Provider) (Coverage, error) {
	return coverArchive(a, p, func(c *PayloadCoverage) { c.Markets, c.WithoutNames = nil, nil })
}

// coverArchive calls shorten with the coverage of each payload. It reads one payload after the
// other.
func coverArchive(a *raw.Archive, p provider.Provider, shorten func(*PayloadCoverage)) (Coverage, error) {
	if p.Markets == nil || p.Recorded == nil {
		return Coverage{}, fmt.Errorf("provider %q: this build does not read its markets", p.Name)
	}
	var pages []provider.Payload
	for _, r := range a.Responses() {
		if !r.Accepted() || !p.Markets.IsListing(r.Endpoint) {
			continue
		}
		page, err := a.Payload(r)
		if err != nil {
			return Coverage{}, err
		}
		pages = append(pages, page)
	}
	listing, err := p.Markets.ReadListing(pages)
	if err != nil {
		return Coverage{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	c := Coverage{Provider: p.Name, Listings: len(pages)}
	var payloads []named
	deriver := newCoverer(p)
	for _, r := range a.Responses() {
		if !r.Accepted() || !p.Markets.IsMarkets(r.Endpoint) {
			continue
		}
		payload, err := a.Payload(r)
		if err != nil {
			return Coverage{}, err
		}
		one := named{name: r.File, bookmaker: askedBookmaker(p, payload), Payload: payload}
		covered := coverPayload(p.Markets, listing, &one, deriver)
		covered.Number = r.Number
		shorten(&covered)
		c.Payloads = append(c.Payloads, covered)
		one.Body = nil
		payloads = append(payloads, one)
	}
	c.leaveOut(listing, payloads)
	return c, nil
}

// askedBookmaker returns whose prices a payload was asked for; "" if it has none of them,
// or the provider sells those of one bookmaker.
func askedBookmaker(p provider.Provider, payload provider.Payload) string {
	if p.Bookmakers == nil {
		return ""
	}
	for _, bookmaker := range p.Recorded(payload.Body).Bookmakers {
		isAsked := true
		for name, values := range p.Bookmakers.Query(bookmaker) {
			isAsked = isAsked && slices.Equal(payload.Query[name], values)
		}
		if isAsked {
			return bookmaker
		}
	}
	return ""
}

// folderReader sorts the files of a folder.
type folderReader struct {
	provider provider.Provider
	options  FolderOptions
	pages    []provider.Payload
	payloads []named
	coverage Coverage
}

func (f *folderReader) read(folder fs.FS) error {
	pattern := cmp.Or(f.options.Pattern, "*.json")
	return fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if match, err := path.Match(pattern, path.Base(name)); err != nil || !match {
			return err
		}
		body, err := fs.ReadFile(folder, name)
		if err == nil && !json.Valid(body) {
			err = errors.New("it is not JSON")
		}
		if err != nil {
			f.payloads = append(f.payloads, named{name: name, err: err})
			return nil
		}
		f.file(name, body)
		return nil
	})
}

// file adds one payload.
func (f *folderReader) file(name string, body []byte) {
	adapter := f.provider.Markets
	r := f.provider.Recorded(body)
	if r.Endpoint == "" {
		r = provider.Recorded{Endpoint: strings.Replace(path.Base(path.Dir(name)), "-", "/", 1), Body: body}
	}
	switch {
	case adapter.IsListing(r.Endpoint):
		f.addListing(r.Endpoint, r.Body)
	case adapter.IsMarkets(r.Endpoint):
		for _, bookmaker := range f.bookmakers(r) {
			f.addMarkets(name, bookmaker, r)
		}
	default:
		f.coverage.Others = append(f.coverage.Others, f.other(name, body))
	}
}

func (f *folderReader) addListing(endpoint string, body []byte) {
	f.pages = append(f.pages, provider.Payload{Number: len(f.pages) + len(f.payloads) + 1, Endpoint: endpoint, Body: body})
	f.coverage.Listings++
}

// bookmakers returns whose prices are to be read from a payload.
func (f *folderReader) bookmakers(r provider.Recorded) []string {
	standard := f.provider.Bookmaker("")
	switch {
	case f.options.Bookmaker != "":
		return []string{f.options.Bookmaker}
	case len(r.Bookmakers) == 1, len(r.Bookmakers) > 0 && f.options.EachBookmaker:
		return r.Bookmakers
	}
	return []string{standard}
}

func (f *folderReader) addMarkets(name, bookmaker string, r provider.Recorded) {
	n := named{name: name, bookmaker: bookmaker, Payload: provider.Payload{Number: len(f.pages) + len(f.payloads) + 1, Endpoint: r.Endpoint, Body: r.Body}}
	if bookmaker != "" {
		n.Query = f.provider.Bookmakers.Query(bookmaker)
		if len(r.Bookmakers) > 0 && !slices.Contains(r.Bookmakers, bookmaker) {
			n.lacksIt = r.Bookmakers
		}
	}
	f.payloads = append(f.payloads, n)
}

// other says what can be said of a payload that is neither prices nor a list of fixtures.
func (f *folderReader) other(name string, body []byte) OtherPayload {
	o := OtherPayload{Name: name}
	if v := f.provider.Classify(http.StatusOK, http.Header{}, body); v.Kind != provider.Accepted {
		o.Code = v.Code
	}
	for _, p := range all.All() {
		if p.Name != f.provider.Name && p.Recorded != nil && p.Recorded(body).Endpoint != "" {
			o.Providers = append(o.Providers, p.Name)
		}
	}
	return o
}

// addParticipants adds the teams from participants.csv and who.
func addParticipants(folder fs.FS, l *provider.Listing, payloads []named, adapter provider.MarketAdapter, who Participants) error {
	if l.Fixtures == nil {
		l.Fixtures = make(map[string]provider.ListedFixture)
	}
	name := func(id string, t Teams) {
		f := l.Fixtures[id]
		f.ProviderFixtureID, f.Home, f.Away = id, football.Of(t.Home), football.Of(t.Away)
		l.Fixtures[id] = f
	}
	file, err := folder.Open(participantsFile)
	if err == nil {
		defer file.Close()
		var teams map[string]Teams
		if teams, err = ReadTeams(file); err != nil {
			return fmt.Errorf("%s: %w", participantsFile, err)
		}
		for id, t := range teams {
			name(id, t)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for id, t := range who.Teams {
		name(id, t)
	}
	if who.Only == nil {
		return nil
	}
	ids := make(map[string]bool)
	for _, p := range payloads {
		if sheet, err := adapter.ReadMarkets(p.Payload, provider.Listing{}); err == nil { // cover reports an error
			for i := range sheet.Fixtures {
				ids[sheet.Fixtures[i].Fixture.ProviderFixtureID] = true
			}
		}
	}
	if len(ids) != 1 {
		return fmt.Errorf("%w, not of %d", ErrNotOne, len(ids))
	}
	for id := range ids {
		name(id, *who.Only)
	}
	return nil
}

// leaveOut removes the fixtures that the pipeline does not take from a payload, see
// run.gather. The payloads are those of c, in the same order.
func (c *Coverage) leaveOut(l provider.Listing, payloads []named) {
	taken := make(map[string]int)
	for i := range c.Payloads {
		for id, partial := range c.Payloads[i].partial {
			if listed, ok := l.Fixtures[id]; !ok || listed.Over || listed.InPlay {
				continue
			}
			before, twice := taken[id]
			if twice {
				wasPartial := c.Payloads[before].partial[id]
				if partial && !wasPartial || partial == wasPartial && payloads[before].FetchedAt.After(payloads[i].FetchedAt) {
					continue
				}
			}
			taken[id] = i
		}
	}
	for i := range c.Payloads {
		p := &c.Payloads[i]
		isOut := func(id string) bool { at, ok := taken[id]; return !ok || at != i }
		p.WithoutNames = slices.DeleteFunc(p.WithoutNames, isOut)
		p.Markets = slices.DeleteFunc(p.Markets, func(m MarketCoverage) bool { return isOut(m.Fixture) })
		p.Suspicions = slices.DeleteFunc(p.Suspicions, func(m SuspiciousMarket) bool { return isOut(m.Fixture) })
		p.Fixtures = 0
		for id := range p.partial {
			if !isOut(id) {
				p.Fixtures++
			}
		}
	}
}

// add reads the payloads and derives their markets.
func (c *Coverage) add(p provider.Provider, l provider.Listing, payloads []named) {
	deriver := newCoverer(p)
	for i := range payloads {
		c.Payloads = append(c.Payloads, coverPayload(p.Markets, l, &payloads[i], deriver))
	}
}

// newCoverer returns a deriver whose ids are not used.
func newCoverer(p provider.Provider) *markets.Deriver {
	return markets.New(identity.NewMinter(identity.Key{1}, p.Name))
}

func coverPayload(adapter provider.MarketAdapter, l provider.Listing, payload *named, deriver *markets.Deriver) PayloadCoverage {
	c := PayloadCoverage{Name: payload.name, Bookmaker: payload.bookmaker, Bookmakers: payload.lacksIt, Err: payload.err}
	if c.Err != nil || c.Bookmakers != nil {
		return c
	}
	sheet, err := adapter.ReadMarkets(payload.Payload, l)
	if err != nil {
		c.Err = err
		return c
	}
	c.Fixtures, c.Broken, c.Damaged, c.Unknown, c.Skipped = len(sheet.Fixtures), sheet.Broken, sheet.Damaged, sheet.Unknown, sheet.Skipped
	c.partial = make(map[string]bool, len(sheet.Fixtures))
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		id := f.Fixture.ProviderFixtureID
		c.partial[id] = f.Partial
		if f.Fixture.Home.Or("") == "" || f.Fixture.Away.Or("") == "" {
			c.WithoutNames = append(c.WithoutNames, id)
		}
		derived := deriver.Derive(&f.Fixture, f.Offers)
		for k := range derived {
			c.Markets = append(c.Markets, coverMarket(id, &derived[k]))
		}
		new(markets.Suspecter).Look(derived, func(kind markets.Suspicion, m *football.Market, seen string) {
			c.Suspicions = append(c.Suspicions, SuspiciousMarket{kind, id, m.Key, m.Canonical, m.Period, coverMarket(id, m).Subject, seen})
		})
		for k := range f.Offers {
			if o := &f.Offers[k]; len(o.Rows) == 0 {
				c.Markets = append(c.Markets, MarketCoverage{Fixture: id, Key: o.Key, Name: o.Name.Or(""),
					ProviderIDs: o.ProviderIDs, Sections: o.Sections, WithoutPrices: true, RawReason: o.RawReason})
			}
		}
	}
	return c
}

func coverMarket(fixture string, m *football.Market) MarketCoverage {
	c := MarketCoverage{Fixture: fixture, Key: m.Key, Name: m.Name.Or(""), ProviderIDs: m.ProviderMarketIDs, Sections: m.Sections,
		Canonical: m.Canonical, Period: m.Period, Rule: m.Rule, RawReason: m.RawReason,
		Selections: len(m.Selections), Reasons: make(map[football.Reason]int), Examples: make(map[football.Reason]string)}
	for i := range m.Selections {
		s := &m.Selections[i]
		if s.Quality.Publishable {
			c.Publishable++
		}
		if c.Subject == "" && (s.Subject == "HOME" || s.Subject == "AWAY") {
			c.Subject = s.Subject
		}
		for _, reason := range s.Quality.Reasons {
			if c.Reasons[reason]++; c.Reasons[reason] == 1 {
				c.Examples[reason] = wordsOf(s)
			}
		}
		reasons := s.Quality.Reasons
		if m.Origin == football.Mapped && len(reasons) > 0 && !slices.ContainsFunc(reasons, func(r football.Reason) bool { return !isNotOnOffer(r) }) {
			c.Suspended++
		}
	}
	return c
}

// isNotOnOffer reports whether a reason says nothing of what was read, but that it is not on
// offer now.
func isNotOnOffer(r football.Reason) bool {
	return r == football.Suspended || r == football.OddsNoOffer
}

// wordsOf returns a selection's own words and its price, as the provider wrote them.
func wordsOf(s *football.Selection) string {
	var words []string
	for _, l := range s.Labels {
		if l.Text != "" && !slices.Contains(words, l.Text) {
			words = append(words, l.Text)
		}
	}
	text := strings.Join(words, ", ")
	if price := cmp.Or(s.Odds.Decimal().Or(""), s.Odds.Fractional().Or("")); price != "" {
		text += " @ " + price
	}
	return strings.TrimSpace(text)
}
