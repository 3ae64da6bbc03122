package transform

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// Coverage is how the markets in some payloads are mapped: the output of mkt mapping
// check, and the table in docs/mapping.md.
type Coverage struct {
	Provider string
	Payloads []PayloadCoverage // in the order of their names
}

// PayloadCoverage is the coverage of one payload.
type PayloadCoverage struct {
	Name     string
	Fixtures int
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
	Reasons                 map[football.Reason]int // reasons of its selections, with how often each occurs
}

// SuspiciousMarket is one market that looks as if it was misread.
type SuspiciousMarket struct {
	Kind                            markets.Suspicion
	Fixture                         string // provider fixture id
	Key, Canonical, Period, Subject string
	Seen                            string // what is suspicious, for a person
}

// Totals of a payload.
type Totals struct{ Markets, Mapped, Raw, WithoutPrices, Selections, Publishable int }

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

// named is a payload of markets with its name in reports.
type named struct {
	name string
	provider.Payload
}

// CoverFolder reads every payload below a folder whose base name matches the pattern (see
// path.Match; "" is "*.json"). A file in a folder named after a listing endpoint
// ("bet365-upcoming") is a listing; any other contains markets. The teams come from the
// listings, participants.csv in the folder, and who. An error may be ErrNotOne.
func CoverFolder(folder fs.FS, p provider.Provider, pattern string, who Participants) (Coverage, error) {
	if p.Markets == nil {
		return Coverage{}, fmt.Errorf("provider %q: this build does not read its markets", p.Name)
	}
	pages, payloads, err := readFolder(folder, p.Markets, cmp.Or(pattern, "*.json"))
	if err != nil {
		return Coverage{}, err
	}
	for _, body := range who.Listings {
		pages = append(pages, provider.Payload{Number: len(pages) + 1, Body: body})
	}
	listing, err := p.Markets.ReadListing(pages)
	if err != nil {
		return Coverage{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	if len(who.Listings) > 0 && len(listing.Fixtures) == 0 {
		return Coverage{}, errors.New("the list of fixtures: it has no fixtures")
	}
	if err := addParticipants(folder, &listing, payloads, p.Markets, who); err != nil {
		return Coverage{}, err
	}
	return cover(p, listing, payloads), nil
}

// CoverArchive reads the payloads of a raw cycle with its own list of fixtures, as
// the pipeline does.
func CoverArchive(a *raw.Archive, p provider.Provider) (Coverage, error) {
	if p.Markets == nil {
		return Coverage{}, fmt.Errorf("provider %q: this build does not read its markets", p.Name)
	}
	var pages []provider.Payload
	var payloads []named
	for _, r := range a.Responses() {
		if !r.Accepted() {
			continue
		}
		payload, err := a.Payload(r)
		if err != nil {
			return Coverage{}, err
		}
		switch {
		case p.Markets.IsListing(r.Endpoint):
			pages = append(pages, payload)
		case p.Markets.IsMarkets(r.Endpoint):
			payloads = append(payloads, named{r.File, payload})
		}
	}
	listing, err := p.Markets.ReadListing(pages)
	if err != nil {
		return Coverage{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	return cover(p, listing, payloads), nil
}

func readFolder(folder fs.FS, adapter provider.MarketAdapter, pattern string) (pages []provider.Payload, payloads []named, err error) {
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if match, err := path.Match(pattern, path.Base(name)); err != nil || !match {
			return err
		}
		body, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		endpoint := strings.Replace(path.Base(path.Dir(name)), "-", "/", 1)
		p := provider.Payload{Number: len(pages) + len(payloads) + 1, Endpoint: endpoint, Body: body}
		if adapter.IsListing(endpoint) {
			pages = append(pages, p)
		} else {
			payloads = append(payloads, named{name, p})
		}
		return nil
	})
	return pages, payloads, err
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

func cover(p provider.Provider, l provider.Listing, payloads []named) Coverage {
	c := Coverage{Provider: p.Name}
	deriver := markets.New(identity.NewMinter(identity.Key{1}, p.Name)) // the ids are not used
	for _, payload := range payloads {
		c.Payloads = append(c.Payloads, coverPayload(p.Markets, l, payload, deriver))
	}
	slices.SortStableFunc(c.Payloads, func(a, b PayloadCoverage) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

func coverPayload(adapter provider.MarketAdapter, l provider.Listing, payload named, deriver *markets.Deriver) PayloadCoverage {
	c := PayloadCoverage{Name: payload.name}
	sheet, err := adapter.ReadMarkets(payload.Payload, l)
	if err != nil {
		c.Err = err
		return c
	}
	c.Fixtures, c.Broken, c.Damaged, c.Unknown, c.Skipped = len(sheet.Fixtures), sheet.Broken, sheet.Damaged, sheet.Unknown, sheet.Skipped
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		id := f.Fixture.ProviderFixtureID
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
		Selections: len(m.Selections), Reasons: make(map[football.Reason]int)}
	for i := range m.Selections {
		s := &m.Selections[i]
		if s.Quality.Publishable {
			c.Publishable++
		}
		if c.Subject == "" && (s.Subject == "HOME" || s.Subject == "AWAY") {
			c.Subject = s.Subject
		}
		for _, reason := range s.Quality.Reasons {
			c.Reasons[reason]++
		}
	}
	return c
}
