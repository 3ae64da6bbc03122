package evidence

import (
	"fmt"
	"time"

	"mkt/internal/evidence/compare"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/snapshot"
)

type changePrinter interface {
	change(compare.Change) error
	end() error
}

type silentPrinter struct{}

func (silentPrinter) change(compare.Change) error { return nil }
func (silentPrinter) end() error                  { return nil }

type jsonPrinter struct{ encode func(any) error }

func (p *jsonPrinter) change(c compare.Change) error { return p.encode(c) }
func (p *jsonPrinter) end() error                    { return nil }

// textPrinter prints a fixture's changes below its name, aligned. Each line ends with an id for
// mkt explain.
type textPrinter struct {
	out     *terminal.Table
	fixture string
}

func (p *textPrinter) change(c compare.Change) error {
	if c.FixtureID != p.fixture {
		p.fixture = c.FixtureID
		if err := p.out.Flush(); err != nil {
			return err
		}
		league := ""
		if c.League != "" {
			league = "  (" + c.League + ")"
		}
		printable.Fprintf(p.out, "%s  %s%s\n", c.FixtureID, c.Fixture, league)
	}
	mark := styleOf[c.What]
	p.out.Styles(mark, terminal.Normal, terminal.Normal, moveOf(c, mark))
	_, err := printable.Fprintf(p.out, "  %s\t%s\t%s\t%s\t%s\n", marks[c.What], c.MarketWords(), c.SelectionWords(), changeOf(c), c.Explain)
	return err
}

func (p *textPrinter) end() error { return p.out.Flush() }

var marks = map[compare.What]string{
	compare.FixtureAdded: "+ fixture", compare.FixtureRemoved: "- fixture", compare.FixtureChanged: "~ fixture",
	compare.MarketAdded: "+ market", compare.MarketRemoved: "- market", compare.MarketChanged: "~ market",
	compare.SelectionAdded: "+ selection", compare.SelectionRemoved: "- selection", compare.SelectionChanged: "~ selection",
	compare.OddsMoved: "odds", compare.Suspended: "suspended", compare.Resumed: "resumed", compare.QualityChanged: "quality", compare.CounterMoved: "counter",
}

var styleOf = map[compare.What]terminal.Style{
	compare.FixtureAdded: terminal.Good, compare.MarketAdded: terminal.Good, compare.SelectionAdded: terminal.Good, compare.Resumed: terminal.Good,
	compare.FixtureRemoved: terminal.Bad, compare.MarketRemoved: terminal.Bad, compare.SelectionRemoved: terminal.Bad,
	compare.Suspended: terminal.Warn, compare.QualityChanged: terminal.Warn,
}

// moveOf returns the style of a change. The style of a price is that of its direction, which its
// sign shows as well; any other change has the style of its mark.
func moveOf(c compare.Change, mark terminal.Style) terminal.Style {
	switch {
	case c.What != compare.OddsMoved || c.Percent == nil:
		return mark
	case *c.Percent < 0:
		return terminal.Bad
	}
	return terminal.Good
}

func changeOf(c compare.Change) string {
	switch c.What {
	case compare.SelectionAdded:
		return c.New.String()
	case compare.SelectionRemoved:
		return c.Old.String()
	}
	if c.Field == "" {
		return ""
	}
	text := c.Old.String() + " → " + c.New.String()
	if c.What != compare.OddsMoved || c.Field != "odds_decimal" {
		text = c.Field + " " + text
	}
	if c.Percent != nil {
		text += fmt.Sprintf("  %+.1f %%", *c.Percent)
	}
	return text
}

type diffSide struct {
	Version     uint64    `json:"version"`
	CycleID     string    `json:"cycle_id"`
	PublishedAt time.Time `json:"published_at"`
}

func diffSideOf(c snapshot.Commit) diffSide {
	return diffSide{c.Version, string(c.CycleID), c.PublishedAt}
}

// diffSummary has both sides of a comparison and the counts of all changes, including those left
// out by --only.
type diffSummary struct {
	What     string   `json:"change"`
	ClientID string   `json:"client_id"`
	Product  string   `json:"product"`
	A        diffSide `json:"a"`
	B        diffSide `json:"b"`
	Differs  bool     `json:"differs"`
	compare.Summary
}

func summaryOf(o compare.Options, sum compare.Summary) diffSummary {
	return diffSummary{"summary", o.A.Manifest.ClientID, string(o.A.Manifest.Product), diffSideOf(o.A.Commit), diffSideOf(o.B.Commit), sum.Differs(), sum}
}
