package live

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/internal/console/inplay"
	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/football"
	"mkt/publish/table"
)

func newLiveList(g *Group) *cobra.Command {
	var tenant string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the matches in play",
		Long: `List the matches in play of the newest live snapshots: the clock, the score,
momentum of both sides, how old the newest data is, and the id. A match whose
data is too old to describe the present is marked as stale.`,
		Example: `  mkt live list --tenant acme`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := (dataset.Filter{Tenant: tenant}).Check(); err != nil {
				return err
			}
			return g.liveList(tenant)
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "select this account's data (default: all accounts)")
	return cmd
}

// listedMatch is a match in play in one line.
type listedMatch struct {
	Tenant       string    `json:"client_id"`
	FixtureID    string    `json:"fixture_id"`
	Home         *string   `json:"home"`
	Away         *string   `json:"away"`
	League       *string   `json:"league"`
	Period       *string   `json:"period"`
	Minute       *int32    `json:"minute"`
	Second       *int32    `json:"second"`
	ScoreHome    *int32    `json:"score_home"`
	ScoreAway    *int32    `json:"score_away"`
	MomentumHome *int32    `json:"momentum_home"` // null as well if the match is stale
	MomentumAway *int32    `json:"momentum_away"`
	Reason       *string   `json:"unavailable_reason"`
	FreshAt      time.Time `json:"fresh_at"`
	AgeMS        int64     `json:"age_ms"`
	Stale        bool      `json:"stale"`

	clock string
}

// liveList lists all readable matches. Unreadable accounts are an error after the list.
func (g *Group) liveList(tenant string) error {
	datasets, err := dataset.List(g.Data, dataset.Filter{Tenant: tenant, Product: string(football.LiveIntelligence)})
	if err != nil {
		return err
	}
	list := []listedMatch{}
	var unread []error
	for _, d := range datasets {
		of, err := matchesOf(d, g.Now())
		if err != nil {
			unread = append(unread, fmt.Errorf("live data of %s: %w", d.Tenant, err))
		}
		list = append(list, of...)
	}
	if g.JSON() {
		err = g.Encode(list)
	} else {
		err = g.printMatches(list)
	}
	return errors.Join(append(unread, err)...)
}

func matchesOf(d dataset.Dataset, now time.Time) (list []listedMatch, err error) {
	err = eachRow(d, func(_ *inplay.Snapshot, r *table.LiveRow) error {
		if r.InPlay {
			list = append(list, listedOf(d.Tenant, r, now))
		}
		return nil
	})
	slices.SortFunc(list, func(a, b listedMatch) int {
		return cmp.Or(strings.Compare(words(a.Home), words(b.Home)), strings.Compare(a.FixtureID, b.FixtureID))
	})
	return list, err
}

func listedOf(tenant string, r *table.LiveRow, now time.Time) listedMatch {
	l := listedMatch{
		Tenant: tenant, FixtureID: r.FixtureID, Home: r.Home, Away: r.Away, League: r.League, Period: r.ClockPeriod, Minute: r.ClockMinute, Second: r.ClockSecond,
		ScoreHome: r.ScoreHome, ScoreAway: r.ScoreAway, MomentumHome: r.MomentumHome, MomentumAway: r.MomentumAway, Reason: r.UnavailableReason,
		FreshAt: r.FreshAt, AgeMS: max(0, now.Sub(r.FreshAt)).Milliseconds(), Stale: matchpage.IsStale(r, now), clock: matchpage.Minute(r),
	}
	if l.Stale {
		reason := string(football.FeedStale)
		l.MomentumHome, l.MomentumAway, l.Reason = nil, nil, &reason
	}
	return l
}

func (g *Group) printMatches(list []listedMatch) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(g.Out, "No match is in play.")
		return err
	}
	w := terminal.NewTableWriter(g.Out)
	w.Header("ACCOUNT", "CLOCK", "MATCH", "SCORE", "MOMENTUM", "AGE", "FIXTURE")
	for _, l := range list {
		momentum := "-"
		if l.MomentumHome != nil && l.MomentumAway != nil {
			momentum = fmt.Sprintf("%d : %d", *l.MomentumHome, *l.MomentumAway)
		}
		age := (time.Duration(l.AgeMS) * time.Millisecond).Round(time.Second).String()
		if l.Stale {
			age += " stale"
			w.Styles(terminal.Normal, terminal.Normal, terminal.Normal, terminal.Normal, terminal.Normal, terminal.Warn)
		}
		printable.Fprintf(w, "%s\t%s\t%s - %s\t%s : %s\t%s\t%s\t%s\n", l.Tenant, cmp.Or(l.clock, "?"), words(l.Home), words(l.Away),
			number(l.ScoreHome), number(l.ScoreAway), momentum, age, l.FixtureID)
	}
	return w.Flush()
}
