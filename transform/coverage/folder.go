package coverage

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/publish/football"
)

// Teams are the two sides of a fixture.
type Teams struct{ Home, Away string }

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

// FolderOptions are the options for reading a folder of payloads.
type FolderOptions struct {
	Pattern string // names of the files to read, see path.Match; "" is "*.json"
	// Bookmaker selects the prices. If it is "", they are the default bookmaker's, or those of
	// the payload's only one.
	Bookmaker string
	// EachBookmaker reads the prices of every bookmaker in a payload, one after the other.
	EachBookmaker bool
	// Teams names fixtures by their provider id, for payloads without teams. It counts before the
	// lists of fixtures in the folder.
	Teams map[string]Teams
}

// OfFolder reads the payloads below a folder. The bytes of a payload determine its kind. If they
// do not, the name of its folder does, if it is an endpoint's ("bet365-upcoming").
func OfFolder(folder fs.FS, p provider.Provider, o FolderOptions) (Report, error) {
	if p.Markets == nil || p.Recorded == nil {
		return Report{}, fmt.Errorf("provider %q: this build does not read its markets", p.Name)
	}
	f := folderReader{provider: p, options: o, coverage: Report{Provider: p.Name}}
	if err := f.read(folder); err != nil {
		return Report{}, err
	}
	listing, err := p.Markets.ReadListing(f.pages)
	if err != nil {
		return Report{}, fmt.Errorf("the list of fixtures: %w", err)
	}
	if listing.Fixtures == nil {
		listing.Fixtures = make(map[string]provider.ListedFixture)
	}
	for id, t := range o.Teams {
		of := listing.Fixtures[id]
		of.ProviderFixtureID, of.Home, of.Away = id, football.Of(t.Home), football.Of(t.Away)
		listing.Fixtures[id] = of
	}
	deriver := newCoverer(p)
	for i := range f.payloads {
		f.coverage.Payloads = append(f.coverage.Payloads, coverPayload(p.Markets, listing, &f.payloads[i], deriver))
	}
	return f.coverage, nil
}

// folderReader sorts the files of a folder.
type folderReader struct {
	provider provider.Provider
	options  FolderOptions
	pages    []provider.Payload
	payloads []named
	coverage Report
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
		f.pages = append(f.pages, provider.Payload{Number: len(f.pages) + len(f.payloads) + 1, Endpoint: r.Endpoint, Body: r.Body})
		f.coverage.Listings++
	case adapter.IsMarkets(r.Endpoint):
		for _, bookmaker := range f.bookmakers(r) {
			f.addMarkets(name, bookmaker, r)
		}
	default:
		f.coverage.Others = append(f.coverage.Others, f.other(name, body))
	}
}

// bookmakers returns the bookmakers whose prices are read from a payload.
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

// other describes a payload that is neither prices nor a list of fixtures.
func (f *folderReader) other(name string, body []byte) Other {
	o := Other{Name: name}
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
