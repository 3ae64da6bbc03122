package transform

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/transform/identity"
	"mkt/transform/markets"
)

// Coverage is what becomes of the markets in some payloads: what mkt mapping
// tells, and the table in docs/mapping.md.
type Coverage struct {
	Provider string
	Payloads []PayloadCoverage // in the order of their names
}

// PayloadCoverage is the coverage of one payload.
type PayloadCoverage struct {
	Name     string
	Fixtures int
	Markets  []MarketCoverage // in the provider's order; those without prices among them
	Broken   map[string]football.Reason
	Unknown  map[string]int // fields that no reader knows
	Skipped  map[string]int
	Err      error // the payload could not be read at all
}

// MarketCoverage is one market, or one that was listed without prices.
type MarketCoverage struct {
	Fixture     string // provider fixture id
	Key, Name   string
	ProviderIDs []string
	Sections    []string

	Canonical, Period, Subject string // "" when RAW
	Rule                       string // names the table line, "" when RAW
	RawReason                  football.Reason
	WithoutPrices              bool

	Selections, Publishable int
	Reasons                 map[football.Reason]int // of selections, by reason
}

// Totals of a payload.
type Totals struct{ Markets, Mapped, Raw, WithoutPrices, Selections, Publishable int }

// Totals sums the payload's markets up.
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

// participantsFile may lie beside payloads that hold no teams, with a line
// "provider fixture id,home,away" each.
const participantsFile = "participants.csv"

// CoverFolder reads every payload below a folder whose base name matches the
// pattern (see path.Match; "" is "*.json"). A file in a folder named like a
// listing's endpoint ("bet365-upcoming") is a listing; any other is taken for
// markets. Teams come from the listings and from participants.csv.
func CoverFolder(folder fs.FS, p provider.Provider, pattern string) (Coverage, error) {
	if p.Markets == nil {
		return Coverage{}, fmt.Errorf("provider %q: nothing here reads its markets", p.Name)
	}
	pages, payloads, err := readFolder(folder, p.Markets, cmp.Or(pattern, "*.json"))
	if err != nil {
		return Coverage{}, err
	}
	listing, err := p.Markets.ReadListing(pages)
	if err != nil {
		return Coverage{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	if err := addParticipants(folder, &listing); err != nil {
		return Coverage{}, err
	}
	return cover(p, listing, payloads), nil
}

// CoverArchive reads the payloads of a raw cycle.
func CoverArchive(a *raw.Archive, p provider.Provider) (Coverage, error) {
	if p.Markets == nil {
		return Coverage{}, fmt.Errorf("provider %q: nothing here reads its markets", p.Name)
	}
	var pages, payloads []provider.Payload
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
			payload.Query = url.Values{"file": {r.File}}
			payloads = append(payloads, payload)
		}
	}
	listing, err := p.Markets.ReadListing(pages)
	if err != nil {
		return Coverage{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	return cover(p, listing, payloads), nil
}

// readFolder reads the files, listings apart. A payload's file name is kept in
// its query.
func readFolder(folder fs.FS, adapter provider.MarketAdapter, pattern string) (pages, payloads []provider.Payload, err error) {
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
		p := provider.Payload{Number: len(pages) + len(payloads) + 1, Endpoint: endpoint, Query: url.Values{"file": {name}}, Body: body}
		if adapter.IsListing(endpoint) {
			pages = append(pages, p)
		} else {
			payloads = append(payloads, p)
		}
		return nil
	})
	return pages, payloads, err
}

// addParticipants adds the teams that participants.csv names.
func addParticipants(folder fs.FS, l *provider.Listing) error {
	file, err := folder.Open(participantsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = 3
	lines, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", participantsFile, err)
	}
	if l.Fixtures == nil {
		l.Fixtures = make(map[string]provider.ListedFixture)
	}
	for _, line := range lines {
		l.Fixtures[line[0]] = provider.ListedFixture{ProviderID: line[0], Home: football.Of(line[1]), Away: football.Of(line[2])}
	}
	return nil
}

func cover(p provider.Provider, l provider.Listing, payloads []provider.Payload) Coverage {
	c := Coverage{Provider: p.Name}
	deriver := markets.New(identity.NewMinter(identity.Key{1}, p.Name)) // ids are not looked at
	for _, payload := range payloads {
		c.Payloads = append(c.Payloads, coverPayload(p.Markets, l, payload, deriver))
	}
	slices.SortStableFunc(c.Payloads, func(a, b PayloadCoverage) int { return cmp.Compare(a.Name, b.Name) })
	return c
}

func coverPayload(adapter provider.MarketAdapter, l provider.Listing, payload provider.Payload, deriver *markets.Deriver) PayloadCoverage {
	c := PayloadCoverage{Name: payload.Query.Get("file")}
	sheet, err := adapter.ReadMarkets(payload, l)
	if err != nil {
		c.Err = err
		return c
	}
	c.Fixtures, c.Broken, c.Unknown, c.Skipped = len(sheet.Fixtures), sheet.Broken, sheet.Unknown, sheet.Skipped
	for i := range sheet.Fixtures {
		f := &sheet.Fixtures[i]
		id := f.Fixture.ProviderFixtureID
		for _, m := range deriver.Derive(&f.Fixture, f.Offers) {
			c.Markets = append(c.Markets, coverMarket(id, &m))
		}
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
