package connection

import (
	"errors"
	"io/fs"

	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Source is whose data an account has: a provider's and, where it sells those of several,
// the prices of one bookmaker.
type Source struct {
	Provider  string `json:"provider"`
	Bookmaker string `json:"bookmaker"` // "" if the provider sells the prices of one
}

// String describes the source to people.
func (s Source) String() string {
	if s.Bookmaker == "" {
		return s.Provider
	}
	return s.Provider + " with the prices of " + s.Bookmaker
}

// Change is a change of provider or bookmaker for an account that has published data.
type Change struct {
	From, To Source
	Fixtures int64 // published, of the market engine
}

// ChangeOf returns what connecting a provider changes; nil if that is connected already, if
// nothing is published yet, or if what is published is of the same provider and bookmaker.
func ChangeOf(data string, t *accounts.Tenant, p accounts.Provider) (*Change, error) {
	c := Change{To: Source{p.Name, p.BookmakerInUse()}}
	set := Source{}
	if t.Provider != nil {
		set = Source{t.Provider.Name, t.Provider.BookmakerInUse()}
	}
	if set == c.To {
		return nil, nil
	}
	for _, product := range football.Products() {
		m, err := newest(dataset.Dataset{Data: data, Tenant: t.ID, Product: product})
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		was := Source{m.Provider, m.Bookmaker}
		switch {
		case was.Provider != c.To.Provider:
		case product == football.LiveIntelligence:
			was.Bookmaker = c.To.Bookmaker // it has no prices
		case was.Bookmaker == "" && set.Provider == was.Provider:
			was.Bookmaker = set.Bookmaker // published before that was recorded
		}
		if was != c.To && c.From.Provider == "" {
			c.From = was
		}
		if product == football.MarketEngine {
			c.Fixtures = m.Tables["fixtures"].Rows
		}
	}
	if c.From.Provider == "" {
		return nil, nil
	}
	return &c, nil
}

// newest returns the manifest of the newest publication of a dataset, nil if there is none.
func newest(d dataset.Dataset) (*snapshot.Manifest, error) {
	root, err := d.Open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	commit, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	m, err := snapshot.Open(root, commit)
	return &m, err
}
