package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/fetch/provider/all"
	"mkt/fetch/raw"
	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/evidence/document"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/coverage"
)

func newMapping(g *Group) *cobra.Command {
	return cli.Group("mapping", "Look at how provider markets are mapped", newMappingCheck(g), newMappingExplain(g))
}

type mappingFlags struct {
	provider, bookmaker, pattern string
	tenant, cycle                string
	participants, against        string
}

func newMappingCheck(g *Group) *cobra.Command {
	var f mappingFlags
	cmd := &cobra.Command{
		Use:        "report DIR | --tenant ID",
		SuggestFor: []string{"check"}, // an earlier name
		Short:      "Show how the markets in payloads are mapped",
		Long: `Show how the markets in a folder of payloads, or in the archived answers of a
tenant's cycle, are mapped: how many markets and selections there are, mapped,
RAW and publishable, every name that stays RAW with the reason and an example,
and markets that look as if they were misread. Nothing is written.

What a file is follows from its bytes; files that are neither prices nor lists
of fixtures of the provider are listed at the end.

Where a payload has the prices of several bookmakers, those of one are read:
of --bookmaker, or the one that an account has without a choice of its own.
"--bookmaker all" reads those of each, one after the other.

Many markets are recognized by the names of the teams, which payloads of
markets may lack. In a cycle they come from its list of fixtures. For a folder
they come from the lists of fixtures in it, and from --participants. Fixtures
whose teams are unknown are counted, because more of their markets stay RAW.

--against FILE shows instead what differs from a report that was printed with
--output json, by this mkt or another: what markets of a name become in one of
the two only, or in another number. Save a report, edit a table, build, and
compare.`,
		Example: `  mkt mapping report --tenant acme
  mkt mapping report payloads --provider theoddsapi --bookmaker all
  mkt mapping report payloads --participants teams.csv
  mkt mapping report payloads --output json > before.json
  mkt mapping report payloads --against before.json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			report, from, err := g.coverage(&f, args)
			if err != nil {
				return err
			}
			if f.against != "" {
				return g.showAgainst(f.against, report.Summary())
			}
			hint := ""
			if f.tenant == "" {
				hint = " Name them with --participants."
			}
			return g.showCoverage(report.Summary(), from, hint)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.provider, "provider", accounts.ProviderNames()[0], "read the payloads as this provider's: "+strings.Join(accounts.ProviderNames(), ", "))
	flags.StringVar(&f.bookmaker, "bookmaker", "", "read this bookmaker's prices, in the provider's spelling, or all")
	flags.StringVar(&f.pattern, "pattern", "*.json", "read the files in DIR whose names match this pattern")
	flags.StringVar(&f.tenant, "tenant", "", "read the answers of this tenant's cycle instead of a folder")
	flags.StringVar(&f.cycle, "cycle", "", "read this cycle of --tenant: "+snapshot.Forms+" (default: the newest one fetched)")
	flags.StringVar(&f.participants, "participants", "", `read the teams from this CSV file with lines of "provider fixture id,home,away"`)
	flags.StringVar(&f.against, "against", "", "show the changes since this report")
	return cmd
}

func (f *mappingFlags) check(args []string) error {
	switch {
	case (len(args) == 1) == (f.tenant != ""):
		return terminal.Usagef("give either a folder of payloads or --tenant")
	case f.tenant != "" && f.participants != "":
		return terminal.Usagef("--participants is for a folder: a cycle has its own list of fixtures")
	case f.tenant != "" && f.bookmaker != "":
		return terminal.Usagef("--bookmaker is for a folder: a cycle has the prices of the bookmaker that it asked for")
	case f.tenant == "" && f.cycle != "":
		return terminal.Usagef("--cycle needs --tenant")
	}
	if err := terminal.CheckWord("--provider", f.provider, accounts.ProviderNames()...); err != nil {
		return err
	}
	return f.checkBookmaker()
}

// allBookmakers is the value of --bookmaker for each of them.
const allBookmakers = "all"

func (f *mappingFlags) checkBookmaker() error {
	if f.bookmaker == "" {
		return nil
	}
	p, _ := all.Lookup(f.provider)
	switch {
	case p.Bookmakers == nil:
		return terminal.Usagef("--bookmaker: %s sells the prices of one bookmaker", f.provider)
	case f.bookmaker != allBookmakers && !p.Bookmakers.Valid(f.bookmaker):
		return terminal.Usagef("--bookmaker %q: no bookmaker of %s can be called that; the default is %s", f.bookmaker, f.provider, p.Bookmakers.Default)
	}
	return nil
}

// coverage reads the payloads. from names their folder or cycle.
func (g *Group) coverage(f *mappingFlags, args []string) (c coverage.Report, from string, err error) {
	if f.tenant != "" {
		return g.cycleCoverage(f)
	}
	dir := args[0]
	p, _ := all.Lookup(f.provider)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return c, "", fmt.Errorf("payloads %s: no such folder", dir)
	}
	if isDataRoot(dir) {
		return c, "", fmt.Errorf("payloads %s: this is a data root, or a part of one: give --tenant ID, with --data if it is not that of the settings", dir)
	}
	options := coverage.FolderOptions{Pattern: f.pattern, Bookmaker: f.bookmaker}
	if f.bookmaker == allBookmakers {
		options.Bookmaker, options.EachBookmaker = "", true
	}
	if f.participants != "" {
		file, err := os.Open(f.participants)
		if err != nil {
			return c, "", fmt.Errorf("--participants: %w", err)
		}
		defer file.Close()
		if options.Teams, err = coverage.ReadTeams(file); err != nil {
			return c, "", fmt.Errorf("--participants %s: %w", f.participants, err)
		}
	}
	c, err = coverage.OfFolder(os.DirFS(dir), p, options)
	switch {
	case err != nil:
		return c, "", fmt.Errorf("payloads %s: %w", dir, err)
	case len(c.Payloads) == 0 && c.Listings == 0 && len(c.Others) == 0:
		return c, "", fmt.Errorf("payloads %s: no file is named %s", dir, f.pattern)
	}
	return c, dir, nil
}

// isDataRoot reports whether a folder is a data root or a part of one.
func isDataRoot(dir string) bool {
	for _, below := range []string{layout.Tenant("*"), "product=*", layout.RawDir + "/cycle=*", "cycle=*"} {
		if found, err := filepath.Glob(filepath.Join(dir, below)); err == nil && len(found) > 0 {
			return true
		}
	}
	_, isCycle := layout.ParseCycleDir(filepath.Base(filepath.Clean(dir)))
	return isCycle
}

// mappedCycle returns the cycle of market_engine that --cycle selects, "" for none: by its id, also one
// that was not published, or that of a publication.
func (g *Group) mappedCycle(root durable.ReadFS, text string) (layout.CycleID, error) {
	if _, product, err := layout.ParseCycleID(text); err == nil && product != string(football.MarketEngine) {
		return "", terminal.Usagef("--cycle %s: want a cycle of %s", text, football.MarketEngine)
	} else if err == nil {
		return layout.CycleID(text), nil
	}
	return g.cycleOf(root, "--cycle", text)
}

func (g *Group) cycleCoverage(f *mappingFlags) (c coverage.Report, from string, err error) {
	w := dataset.Filter{Tenant: f.tenant, Product: string(football.MarketEngine)}
	if err := w.Check(); err != nil {
		return c, "", err
	}
	datasets, err := dataset.List(g.Data, w)
	if err != nil {
		return c, "", err
	}
	root, err := datasets[0].Open()
	if err != nil {
		return c, "", err
	}
	defer root.Close()
	id, err := g.mappedCycle(root, f.cycle)
	if err != nil {
		return c, "", err
	}
	if id == "" {
		newest, found, err := raw.Newest(root)
		if err != nil {
			return c, "", err
		}
		if !found {
			return c, "", fmt.Errorf("%s: no cycle was fetched yet: run mkt fetch --tenant %s first", datasets[0], f.tenant)
		}
		id = newest.CycleID
	}
	failed := func(err error) (coverage.Report, string, error) {
		return c, "", fmt.Errorf("%s: cycle %s: %w", datasets[0], id, err)
	}
	archive, err := raw.Open(root, id)
	if errors.Is(err, raw.ErrNotSealed) {
		return c, "", fmt.Errorf("%s: %w", datasets[0], notKept(root, id))
	}
	if err != nil {
		return failed(err)
	}
	p, ok := all.Lookup(archive.Cycle().Provider)
	if !ok {
		return failed(fmt.Errorf("this build has no adapter for the provider %q", archive.Cycle().Provider))
	}
	if c, err = coverage.OfArchive(archive, p); err != nil {
		return failed(err)
	}
	return c, string(id), nil
}

// notKept returns the error for a cycle without answers, and names those with answers.
func notKept(root durable.ReadFS, id layout.CycleID) error {
	if _, err := snapshot.Resolve(root, string(id)); errors.Is(err, snapshot.ErrUnknown) && !errors.Is(err, snapshot.ErrNothing) {
		return terminal.AsUsage(err)
	} else if err != nil {
		return err
	}
	kept, err := raw.Cycles(root)
	if err != nil || len(kept) == 0 {
		return fmt.Errorf("the answers of cycle %s are not kept, nor those of others", id)
	}
	return fmt.Errorf("the answers of cycle %s are not kept: give a cycle from %s on, or leave out --cycle for the newest one", id, kept[0])
}

// showCoverage prints the coverage; hint says how to name teams. An unreadable payload is an error, and so is a set of payloads
// without any prices.
func (g *Group) showCoverage(s coverage.Summary, from, hint string) (err error) {
	err = g.show(s, func() *document.Document { return coverageDocument(&s, hint) })
	switch {
	case err != nil:
		return err
	case s.Unreadable > 0:
		return fmt.Errorf("%s: %d of %d payloads cannot be read", from, s.Unreadable, len(s.Payloads))
	case len(s.Payloads) == 0:
		return fmt.Errorf("%s: no payload is prices of %s", from, s.Provider)
	}
	return nil
}
