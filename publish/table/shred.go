package table

import (
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// shredder gives rows of one type to a sink.
type shredder[T Row] func(to sink, row *T)

// shredderOf picks the fast one for markets; the other tables are small.
func shredderOf[T Row](s *spec) shredder[T] {
	if fast, ok := any(shredder[MarketRow](shredMarket)).(shredder[T]); ok {
		return fast
	}
	var buffer parquet.Row
	return func(to sink, row *T) {
		buffer = s.schema.Deconstruct(buffer[:0], row)
		pour(to, buffer)
	}
}

// shredMarket is pour(schema.Deconstruct(row)), written out for speed. A test
// holds the two against each other.
func shredMarket(to sink, m *MarketRow) {
	to.text(0, 0, 0, m.FixtureID)
	to.text(1, 0, 0, m.MarketID)
	to.number(2, 0, 0, uint64(int64(m.Ordinal)))
	optional(to, 3, 0, 0, m.Market)
	optional(to, 4, 0, 0, m.MarketName)
	optional(to, 5, 0, 0, m.Period)
	list(to, 6, 0, 0, m.Sections)
	list(to, 7, 0, 0, m.Lines)
	to.text(8, 0, 0, m.OriginType)
	to.text(9, 0, 0, m.DerivationVersion)
	to.number(10, 0, 0, uint64(int64(m.SelectionCount)))
	list(to, 11, 0, 0, m.ProviderMarketIDs)
	to.text(12, 0, 0, m.ProviderMarketKey)
	optional(to, 13, 0, 0, m.Rule)
	optional(to, 14, 0, 0, m.RawReason)
	list(to, 15, 0, 0, m.Absent)
	if len(m.Selections) == 0 {
		for leaf := 16; leaf <= 34; leaf++ {
			to.none(leaf, 0, 0)
		}
	}
	for i := range m.Selections {
		shredSelection(to, byte(min(i, 1)), &m.Selections[i])
	}
}

func shredSelection(to sink, rep byte, s *SelectionRow) {
	to.text(16, rep, 1, s.SelectionID)
	optional(to, 17, rep, 1, s.Selection)
	optional(to, 18, rep, 1, s.Line)
	optional(to, 19, rep, 1, s.Qualifier)
	optional(to, 20, rep, 1, s.OddsFractional)
	optional(to, 21, rep, 1, s.OddsDecimalText)
	if s.OddsDecimal == nil {
		to.none(22, rep, 1)
	} else {
		to.number(22, rep, 2, math.Float64bits(*s.OddsDecimal))
	}
	optional(to, 23, rep, 1, s.Dimension)
	optional(to, 24, rep, 1, s.Subject)
	optional(to, 25, rep, 1, s.Subject2)
	optional(to, 26, rep, 1, s.GridRow)
	optional(to, 27, rep, 1, s.GridColumn)
	to.text(28, rep, 1, s.QualityStatus)
	to.number(29, rep, 1, truth(s.Publishable))
	list(to, 30, rep, 1, s.Reasons)
	optional(to, 31, rep, 1, s.ProviderSelectionID)
	list(to, 32, rep, 1, s.Absent)
	if len(s.Labels) == 0 {
		to.none(33, rep, 1)
		to.none(34, rep, 1)
	}
	for i := range s.Labels {
		if i > 0 {
			rep = 2
		}
		to.text(33, rep, 2, s.Labels[i].Field)
		to.text(34, rep, 2, s.Labels[i].Text)
	}
}

func optional(to sink, leaf int, rep, def byte, s *string) {
	if s == nil {
		to.none(leaf, rep, def)
		return
	}
	to.text(leaf, rep, def+1, *s)
}

func list(to sink, leaf int, rep, def byte, items []string) {
	if len(items) == 0 {
		to.none(leaf, rep, def)
		return
	}
	for i, s := range items {
		if i > 0 {
			rep = def + 1
		}
		to.text(leaf, rep, def+1, s)
	}
}

// view is a string over bytes that nobody changes while it is used.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
