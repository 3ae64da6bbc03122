package serving

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/tenants"
	"mkt/publish/snapshot"
)

type pastFlags struct{ asOf string }

// check refuses to serve the past to the network.
func (f pastFlags) check(listen string) error {
	if f.asOf == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(listen)
	if ip, bad := netip.ParseAddr(host); err == nil && (host == "localhost" || bad == nil && ip.IsLoopback()) {
		return nil
	}
	return cli.Usagef("--as-of with --listen %s: the past is shown on a loopback address only, such as 127.0.0.1:8081", listen)
}

// past returns the time given to --as-of, or zero without the flag. It prints the served
// publication of each account. It is an error if nothing of that time is kept.
func (g *Group) past(f pastFlags) (time.Time, error) {
	if f.asOf == "" {
		return time.Time{}, nil
	}
	m, err := g.MomentArg("--as-of", f.asOf)
	if err != nil {
		return time.Time{}, err
	}
	datasets, err := cli.Datasets(g.Data, cli.Filter{})
	if err != nil {
		return time.Time{}, err
	}
	at, named := m.Time()
	if !named {
		if at, err = whenOf(datasets, m); err != nil {
			return time.Time{}, err
		}
	}
	return at, g.printPast(datasets, at)
}

// whenOf returns when the publication of a cycle was published, the latest time if several
// accounts have one. A version can name a publication only if there is one dataset.
func whenOf(datasets []cli.Dataset, m snapshot.Moment) (at time.Time, err error) {
	if !m.IsCycle() && len(datasets) > 1 {
		return at, cli.Usagef("--as-of %s: it means a different time for each account and product: give a time or a cycle id", m)
	}
	var errs []error
	for _, p := range datasets {
		c, err := find(p, m)
		if err != nil {
			errs = append(errs, err)
		} else if c.PublishedAt.After(at) {
			at = c.PublishedAt
		}
	}
	if at.IsZero() {
		return at, fmt.Errorf("--as-of: %w", errors.Join(errs...))
	}
	return at, nil
}

// find returns the publication of a dataset at a moment.
func find(p cli.Dataset, m snapshot.Moment) (snapshot.Commit, error) {
	root, err := p.Open()
	if err != nil {
		return snapshot.Commit{}, err
	}
	defer root.Close()
	c, err := snapshot.Find(root, m)
	if err != nil {
		return c, fmt.Errorf("%s: %w", p, err)
	}
	return c, nil
}

// printPast prints the served publication of each dataset on stderr. It is an error if there were
// publications by then and all of them are deleted.
func (g *Group) printPast(datasets []cli.Dataset, at time.Time) error {
	plain.Fprintf(g.Errs, "as of %s, at which the clock stands:\n", cli.Stamp(at))
	kept := 0
	for _, p := range datasets {
		words := "nothing was published by then"
		c, err := find(p, snapshot.At(at))
		if err == nil {
			words = fmt.Sprintf("version %d, cycle %s", c.Version, c.CycleID)
			there, err := keeps(p, c)
			switch {
			case errors.Is(err, snapshot.ErrDamaged):
				words += ": damaged; mkt recover rebuilds it"
			case err != nil:
				return err
			case there:
				kept++
			default:
				words += ": deleted by retention; if its payloads are kept, mkt replay rebuilds it"
			}
		} else if !errors.Is(err, snapshot.ErrUnknown) {
			return err
		}
		plain.Fprintf(g.Errs, "  %s: %s\n", p, words)
	}
	if kept == 0 {
		return errors.New("--as-of: no snapshot of that time is kept; retention in mkt.yaml says how long they are kept")
	}
	return nil
}

func keeps(p cli.Dataset, c snapshot.Commit) (bool, error) {
	root, err := p.Open()
	if err != nil {
		return false, err
	}
	defer root.Close()
	return snapshot.IsKept(root, c)
}

// runTokens are tokens for one run of mkt serve --as-of: nobody needs the client's own token to see
// the client's answers. They are not stored.
type runTokens struct {
	printed []daemon.Token
	entries map[string]tenants.Token // by account
}

// runTokensOf makes a token for each account with data on the data root. It makes none when
// serving the present, which may be reachable from the network.
func (g *Group) runTokensOf(f *tenants.File, asOf time.Time) (none runTokens, err error) {
	if asOf.IsZero() {
		return none, nil
	}
	datasets, err := cli.Datasets(g.Data, cli.Filter{})
	if err != nil {
		return none, err
	}
	there := map[string]bool{}
	for _, p := range datasets {
		there[p.Tenant] = true
	}
	list := runTokens{entries: map[string]tenants.Token{}}
	for _, id := range f.IDs() {
		if !there[id] {
			continue
		}
		token, entry, err := tenants.NewToken(g.Now())
		if err != nil {
			return none, err
		}
		list.printed = append(list.printed, daemon.Token{ID: id, Token: token})
		list.entries[id] = entry
	}
	return list, nil
}

// in returns the accounts with the tokens of this run.
func (r runTokens) in(f *tenants.File) *tenants.File {
	if len(r.entries) == 0 {
		return f
	}
	with := *f
	with.Tenants = slices.Clone(f.Tenants)
	for i := range with.Tenants {
		t := &with.Tenants[i]
		if entry, ok := r.entries[t.ID]; ok {
			t.Tokens = append(slices.Clone(t.Tokens), entry)
		}
	}
	return &with
}
