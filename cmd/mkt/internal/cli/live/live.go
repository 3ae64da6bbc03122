// Package live has the commands that show live matches.
package live

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/console/matchpage"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/transform/live/momentum"
)

func newLive(g *Group) *cobra.Command {
	return cli.Group("live", "Look at fixtures in play, on the data root alone", newLiveList(g), newLiveShow(g))
}

func newLiveShow(g *Group) *cobra.Command {
	var tenant, file string
	cmd := &cobra.Command{
		Use:        "show [FIXTURE]",
		SuggestFor: []string{"report"}, // an earlier name of --html
		Short:      "Draw clock, score, momentum, pressure and timeline",
		Long: `Draw clock, score, momentum, pressure by minute and timeline of a fixture in
the newest live snapshot. FIXTURE is its id, or a part of its teams' names,
accents or not; without it, a match with a momentum is chosen. Pressure and
timeline are there for fixtures of the detail set. Nothing is written.

With --html the same is written as one HTML page that needs no other file to be
opened, mailed or printed, with momentum over the whole match, the counters by
minute, and a list of the unknowns. Momentum over time is computed from the
raw cycles still kept, by the code that computed the published values; no key
is needed. A FILE that exists is replaced, completely or not at all; - is the
standard output.`,
		Example: `  mkt live show Arsenal --tenant acme
  mkt live show Arsenal --html match.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := (dataset.Filter{Tenant: tenant}).Check(); err != nil {
				return err
			}
			wanted := strings.Join(args, " ")
			if len(args) == 0 {
				var err error
				if wanted, err = g.anyInPlay(tenant); err != nil {
					return err
				}
			}
			if cmd.Flags().Changed("html") {
				if file == "" {
					return terminal.Usagef("--html: want the file to write, or - for the standard output")
				}
				return g.liveReport(cmd.Context(), tenant, wanted, file)
			}
			return g.liveShow(tenant, wanted)
		},
	}
	cmd.Flags().StringVar(&tenant, "tenant", "", "select this account's data (default: all accounts)")
	cmd.Flags().StringVar(&file, "html", "", "write a page to this `FILE` (-: the standard output)")
	return cmd
}

func (g *Group) liveShow(tenant, wanted string) error {
	f, err := g.findLive(tenant, wanted)
	if err != nil {
		return err
	}
	return g.Answer(f, func(out io.Writer) error { return f.draw(out, g.Now()) })
}

type liveView struct {
	Tenant    string     `json:"client_id"`
	Cycle     string     `json:"cycle_id"`
	FixtureID string     `json:"fixture_id"`
	Home      *string    `json:"home"`
	Away      *string    `json:"away"`
	League    *string    `json:"league"`
	InPlay    bool       `json:"in_play"`
	FreshAt   time.Time  `json:"fresh_at"`
	StaleAt   *time.Time `json:"stale_at"`

	Period    *string `json:"period"`
	Minute    *int32  `json:"minute"`
	Second    *int32  `json:"second"`
	Added     *int32  `json:"added"`
	Running   *bool   `json:"running"`
	ScoreHome *int32  `json:"score_home"`
	ScoreAway *int32  `json:"score_away"`

	State        *string        `json:"visual_state"`
	MomentumHome *int32         `json:"momentum_home"`
	Leader       *string        `json:"leader"`
	Strength     *string        `json:"strength"`
	Reason       *string        `json:"unavailable_reason"`
	Men          *redCardShares `json:"men"` // null when the red cards of both sides are not known
	Detailed     bool           `json:"detail_available"`

	Buckets   []liveBucket    `json:"buckets"`
	Revision  *int32          `json:"timeline_revision"`
	Timeline  []liveEntry     `json:"timeline"`
	Withdrawn []liveWithdrawn `json:"withdrawn"`

	place     dataset.Dataset
	row       *table.LiveRow
	published *matchpage.Match // with the details; nil unless it is the only requested match
}

// redCardShares is the share of its pressure kept by each side in momentum after red cards:
// "1", or a fraction such as "2/3".
type redCardShares struct {
	RedCards string `json:"red_cards"`
	Home     string `json:"home"`
	Away     string `json:"away"`
}

func redCardSharesOf(counters []table.LiveCounterRow) *redCardShares {
	for _, r := range counters {
		if r.Metric != string(football.RedCards) || r.HomeText == nil || r.AwayText == nil {
			continue
		}
		red := football.Counter{Metric: football.RedCards, Home: counted(*r.HomeText), Away: counted(*r.AwayText)}
		if home, away, known := momentum.Kept(red); known {
			return &redCardShares{*r.HomeText + "-" + *r.AwayText, home, away}
		}
	}
	return nil
}

func counted(text string) football.Field[football.Number] {
	n, ok := football.ParseNumber(text)
	if !ok {
		return football.Field[football.Number]{}
	}
	return football.Of(n)
}

type liveBucket struct {
	Minute int32  `json:"minute"`
	Added  int32  `json:"added"` // minute of stoppage time, from 1; 0 outside it
	State  string `json:"state"` // a football.BucketState
	Home   *int32 `json:"home"`
	Away   *int32 `json:"away"`
}

type liveEntry struct {
	At         time.Time `json:"at"`
	Minute     *int32    `json:"minute"`
	Second     *int32    `json:"second"`
	State      string    `json:"state"`
	Certainty  string    `json:"certainty"`
	SideProven string    `json:"side_proven"`
	Until      time.Time `json:"until"`
	ID         *string   `json:"entry_id"` // null if an older mkt published it
}

type liveWithdrawn struct {
	ID          string    `json:"entry_id"`
	State       string    `json:"state"`
	SideProven  string    `json:"side_proven"`
	Minute      *int32    `json:"minute"`
	Second      *int32    `json:"second"`
	At          time.Time `json:"at"`
	ShownFrom   time.Time `json:"shown_from"`
	WithdrawnAt time.Time `json:"withdrawn_at"`
	Reason      string    `json:"reason"`
	ReplacedBy  *string   `json:"replaced_by"`
}

func (f *liveView) named() string { return words(f.Home) + " - " + words(f.Away) }

func words(s *string) string {
	if s == nil {
		return "?"
	}
	return *s
}

func number(n *int32) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// Group is the state shared by these commands.
type Group struct{ *cli.Env }

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{env}
	return []*cobra.Command{newLive(g)}
}
