package find

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/names"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Found is the fixture found by a text.
type Found struct {
	ID      string
	Name    string    // of the teams; "" if the text is an id
	Version uint64    // the newest publication with it; 0 if the text is an id
	Left    time.Time // when it left; zero if the newest publication has it
}

// ErrUnknown is the error for a name of no fixture. It is an error of usage.
var ErrUnknown = terminal.Usagef("no fixture has that in its teams' names")

// maxCandidates is how many fixtures an error lists.
const maxCandidates = 8

// Named returns the fixture of a dataset with a given id or with a given part of the teams' names.
// It looks in the newest publication, and for markets also among the departed fixtures. Its errors
// include [ErrUnknown]; if several fixtures have the name, the error is a [Several].
func Named(d dataset.Dataset, text string) (Found, error) {
	if IsID(text) {
		return Found{ID: text}, nil
	}
	root, err := d.Open()
	if err != nil {
		return Found{}, err
	}
	defer root.Close()
	found, err := namedIn(root, d.Product, text)
	if err != nil {
		return found, fmt.Errorf("%s: %w", d, err)
	}
	return found, nil
}

func namedIn(root durable.ReadFS, product football.Product, text string) (Found, error) {
	head, published, err := snapshot.Head(root)
	if err != nil {
		return Found{}, err
	}
	query := names.Search(text)
	if query.Empty() || !published {
		return Found{}, unknown(text)
	}
	var list Candidates
	if err := list.addNewest(root, head, product, query, ""); err != nil {
		return Found{}, err
	}
	found := Found{Version: head.Version}
	if list.all == 0 && product == football.MarketEngine {
		for gone, err := range Departed(root, head, nil) {
			if err != nil {
				return Found{}, err
			}
			if list.all > 0 && gone.Version < found.Version {
				break // the fixtures of the newest publication with any
			}
			if list.Add(query, gone.FixtureID, gone.Home, gone.Away); list.all > 0 {
				found.Version, found.Left = gone.Version, gone.Left
			}
		}
	}
	if list.all == 0 {
		return Found{}, unknown(text)
	}
	if err := list.Err(text); err != nil {
		return Found{}, err
	}
	found.ID, found.Name = list.ids[0], list.names[0]
	return found, nil
}

// Having returns the datasets whose newest publication has the fixture with a name: a name is
// looked for in all accounts. It returns all datasets if the text is an id, or if no newest
// publication has the name. If several fixtures have it, the error is a [Several].
func Having(datasets []dataset.Dataset, text string) ([]dataset.Dataset, error) {
	query := names.Search(text)
	if IsID(text) || query.Empty() || len(datasets) < 2 {
		return datasets, nil
	}
	one := !slices.ContainsFunc(datasets, func(d dataset.Dataset) bool { return d.Tenant != datasets[0].Tenant })
	var all Candidates
	var having []dataset.Dataset
	for _, d := range datasets {
		account := d.Tenant
		if one {
			account = ""
		}
		// The caller reports unreadable data, unless another dataset has the name.
		if has, err := all.addFrom(d, query, account); err == nil && has {
			having = append(having, d)
		}
	}
	if err := all.Err(text); err != nil {
		return nil, err
	}
	if len(having) == 0 {
		return datasets, nil
	}
	if one {
		return having, nil
	}
	// Those with a weaker match than others have another fixture.
	return slices.DeleteFunc(having, func(d dataset.Dataset) bool { return !slices.Contains(all.accounts, d.Tenant) }), nil
}

// addFrom adds the fixtures of a dataset's newest publication, which are listed with their account;
// it reports whether there are any.
func (c *Candidates) addFrom(d dataset.Dataset, query names.Query, account string) (any bool, err error) {
	root, err := d.Open()
	if err != nil {
		return false, err
	}
	defer root.Close()
	head, published, err := snapshot.Head(root)
	if err != nil || !published {
		return false, err
	}
	var own Candidates
	if err := own.addNewest(root, head, d.Product, query, account); err != nil {
		return false, err
	}
	c.merge(own)
	return own.all > 0, nil
}

func (c *Candidates) addNewest(root durable.ReadFS, head snapshot.Commit, product football.Product, query names.Query, account string) error {
	c.account = account
	if product == football.LiveIntelligence {
		return newest(root, head, layout.LiveFile, func(r *table.LiveRow) { c.Add(query, r.FixtureID, r.Home, r.Away) })
	}
	return newest(root, head, layout.FixturesFile, func(r *table.FixtureRow) { c.Add(query, r.FixtureID, r.Home, r.Away) })
}

// IsID reports whether a text is meant as the id of a fixture.
func IsID(text string) bool { return strings.HasPrefix(text, "fx_") }

func unknown(text string) error {
	return fmt.Errorf("%q: %w", text, ErrUnknown)
}

func newest[T table.Row](root durable.ReadFS, head snapshot.Commit, name string, do func(*T)) error {
	manifest, err := snapshot.Open(root, head)
	if err != nil {
		return err
	}
	for row, err := range snapshot.VerifiedRows[T](root, head.Dir(), manifest, name) {
		if err != nil {
			return err
		}
		do(row)
	}
	return nil
}

// Name returns the name of a fixture.
func Name(home, away *string) string {
	side := func(s *string) string {
		if s == nil || *s == "" {
			return "?"
		}
		return *s
	}
	return side(home) + " – " + side(away)
}

// Candidates are the fixtures found by a query. If a team has the words of the query in their
// order, fixtures with the words scattered over the name do not count. The zero value has none.
type Candidates struct {
	account              string // of the fixtures added next; "" if there is only one
	exact                bool   // they have the words in their order
	ids, names, accounts []string
	all                  int // how many, of which maxCandidates are listed
}

// Add adds a fixture if the query matches its name.
func (c *Candidates) Add(query names.Query, id string, home, away *string) {
	name := Name(home, away)
	if !query.Matches(name) {
		return
	}
	c.add(query.MatchesPhrase(name), id, name, c.account)
}

func (c *Candidates) add(exact bool, id, name, account string) {
	if c.exact && !exact || slices.Contains(c.ids, id) {
		return
	}
	if exact && !c.exact {
		*c = Candidates{account: c.account, exact: true}
	}
	if c.all++; len(c.ids) < maxCandidates {
		c.ids, c.names, c.accounts = append(c.ids, id), append(c.names, name), append(c.accounts, account)
	}
}

// merge adds the candidates of another dataset.
func (c *Candidates) merge(o Candidates) {
	for i, id := range o.ids {
		c.add(o.exact, id, o.names[i], o.accounts[i])
	}
	if c.exact == o.exact {
		c.all += o.all - len(o.ids) // the unlisted ones
	}
}

// Err returns a [Several] if there are several fixtures, otherwise nil.
func (c *Candidates) Err(text string) error {
	if c.all < 2 {
		return nil
	}
	var list []string
	for i, id := range c.ids {
		of := ""
		if c.accounts[i] != "" {
			of = " of " + c.accounts[i]
		}
		list = append(list, printable.Text(c.names[i])+" ("+id+of+")")
	}
	more, tenant := "", ""
	if n := c.all - len(list); n > 0 {
		more = fmt.Sprintf(" or one of %d more", n)
	}
	if len(c.accounts) > 0 && c.accounts[0] != "" {
		tenant = ", and the account with --tenant"
	}
	return terminal.AsUsage(Several{fmt.Sprintf("%q may be %s%s: give more of the name, or the id%s", text, strings.Join(list, ", "), more, tenant)})
}

// Several is the error of an ambiguous text. It lists the fixtures, markets or selections found.
type Several struct{ text string }

func (e Several) Error() string { return e.text }
