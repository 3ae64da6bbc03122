package prematch

import (
	"context"
	"strings"

	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/publish/table/canonical"
	"mkt/publish/table/content"
	"mkt/transform/markets/suspicion"
	"mkt/transform/output"
)

// Write writes the tables of the cycle into its canonical folder.
func (c *Cycle) Write(ctx context.Context, f *output.Folder) error {
	m := c.Header
	var fixtures []table.FixtureRow
	err := output.Write(ctx, f, m, layout.MarketsFile, "markets", func(w *table.Writer[table.MarketRow]) (err error) {
		fixtures, err = c.writeMarkets(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	c.countUp()
	err = output.Write(ctx, f, m, layout.FixturesFile, "fixtures", func(w *table.Writer[table.FixtureRow]) error { return w.Write(fixtures...) })
	if err != nil {
		return err
	}
	return output.Write(ctx, f, m, layout.ListingFile, "listing", func(w *table.Writer[table.ListingRow]) error { return w.Write(c.listing...) })
}

// writeMarkets writes every fixture's markets and returns the fixtures' rows.
func (c *Cycle) writeMarkets(ctx context.Context, w *table.Writer[table.MarketRow]) ([]table.FixtureRow, error) {
	fixtures := make([]table.FixtureRow, 0, len(c.fixtures))
	answers := c.recordsAnswers()
	for i := range c.fixtures {
		f := &c.fixtures[i]
		c.count(f)
		if f.notOffered {
			f.row = canonical.Fixture(f.fixture, 0, "")
			f.row.ContentDigest = content.Digest(f.row, nil)
		}
		if f.answer != "" && answers {
			f.row.AnswerSHA256 = &f.answer
		}
		if f.notOffered {
			fixtures = append(fixtures, f.row)
			continue
		}
		fixtures = append(fixtures, f.row)
		rows, err := c.Rows.Read(f.rows)
		if err != nil {
			return nil, err
		}
		if err := w.WriteEncoded(f.row.FixtureID, rows); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return fixtures, c.Rows.Close()
}

// recordsAnswers reports whether the fixtures' rows name their answers: unless the first run of the
// cycle was by a build that did not.
func (c *Cycle) recordsAnswers() bool {
	if c.Before == nil {
		return true
	}
	_, did := c.Before.Tables["fixtures"].Columns["answer_sha256"]
	return did
}

// count adds one fixture to the counts and the header.
func (c *Cycle) count(f *refreshed) {
	s, one := c.Counts, &f.counts
	if f.notOffered {
		s.NotOffered++
		return
	}
	c.Totals.Fixtures++
	if f.partial {
		s.Partial++
	}
	s.WithoutPrices += one.withoutPrices
	s.Suspicions.Add(&one.suspicions)
	s.Markets += one.markets
	s.Mapped += one.mapped
	s.Selections += one.selections
	s.Publishable += one.publishable
	for _, raw := range one.raw {
		c.Header.RawMarkets[string(raw.reason)] += raw.n
	}
	for _, not := range one.notPublishable {
		c.Header.NotPublishable[string(not.reason)] += not.n
		if not.reason == football.OddsNoOffer {
			s.NoOffer += not.n
		}
	}
}

// SuspicionsCounter is the counter of all suspicions in a manifest. With a colon and a name it is
// the counter of one kind.
const SuspicionsCounter = "suspicions"

// countUp adds the counts to the header.
func (c *Cycle) countUp() {
	m, s := c.Header, c.Counts
	m.Counters["fixtures"], m.Counters["fixtures_broken"] = int64(c.Totals.Fixtures), int64(c.Totals.Broken)
	m.Counters["fixtures_not_offered"], m.Counters["fixtures_partial"] = int64(s.NotOffered), int64(s.Partial)
	m.Counters["markets"], m.Counters["markets_mapped"] = int64(s.Markets), int64(s.Mapped)
	m.Counters["markets_without_prices"] = int64(s.WithoutPrices)
	m.Counters["selections"], m.Counters["selections_publishable"] = int64(s.Selections), int64(s.Publishable)
	if c.Before != nil { // a repeated run keeps the first one's counts: it may have examined less, or in another way
		for name, n := range c.Before.Counters {
			if name == SuspicionsCounter || strings.HasPrefix(name, SuspicionsCounter+":") {
				m.Counters[name] = n
			}
		}
		return
	}
	m.Counters[SuspicionsCounter] = int64(s.Suspicions.Total())
	for kind, n := range s.Suspicions {
		m.Counters[SuspicionsCounter+":"+suspicion.Kind(kind).String()] = int64(n)
	}
}
