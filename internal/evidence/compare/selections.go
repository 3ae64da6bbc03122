package compare

import (
	"math"
	"slices"
	"strings"

	"mkt/publish/football"
	"mkt/publish/table"
)

// selections compares the selections of a market: first the removed and changed ones in A's order,
// then the added ones in B's order.
func (r *run) selections(base Change, a, b []table.SelectionRow) error {
	for i := range a {
		old := &a[i]
		var err error
		if now := find(b, old.SelectionID, i); now == nil {
			err = r.emit(ofSelection(base, SelectionRemoved, old))
		} else {
			err = r.selection(base, old, now)
		}
		if err != nil {
			return err
		}
	}
	for i := range b {
		if find(a, b[i].SelectionID, i) != nil {
			continue
		}
		if err := r.emit(ofSelection(base, SelectionAdded, &b[i])); err != nil {
			return err
		}
	}
	return nil
}

func find(list []table.SelectionRow, id string, likely int) *table.SelectionRow {
	if likely < len(list) && list[likely].SelectionID == id {
		return &list[likely]
	}
	for i := range list {
		if list[i].SelectionID == id {
			return &list[i]
		}
	}
	return nil
}

func ofSelection(base Change, what What, s *table.SelectionRow) Change {
	base.What, base.SelectionID = what, s.SelectionID
	for _, name := range []*string{s.Selection, s.Subject, s.ProviderSelectionID} {
		if name != nil {
			base.Selection = *name
			break
		}
	}
	for _, text := range []struct {
		from *string
		to   *string
	}{{s.Line, &base.Line}, {s.Qualifier, &base.Qualifier}, {s.Subject, &base.Subject}, {s.Subject2, &base.Subject2}} {
		if text.from != nil {
			*text.to = *text.from
		}
	}
	if base.Line != "" {
		base.LineOf = lineOf(base.Market, base.Selection)
	}
	if odds := oddsOf(s); what == SelectionAdded {
		base.New = odds
	} else if what == SelectionRemoved {
		base.Old = odds
	}
	return base
}

const suspended = string(football.Suspended)

func (r *run) selection(base Change, a, b *table.SelectionRow) error {
	if err := r.odds(base, a, b); err != nil {
		return err
	}
	was, is := slices.Contains(a.Reasons, suspended), slices.Contains(b.Reasons, suspended)
	switch {
	case is && !was:
		if err := r.emit(ofSelection(base, Suspended, b)); err != nil {
			return err
		}
	case was && !is:
		if err := r.emit(ofSelection(base, Resumed, b)); err != nil {
			return err
		}
	}
	if err := r.field(ofSelection(base, QualityChanged, b), "quality", qualityOf(a), qualityOf(b)); err != nil {
		return err
	}
	return columns(r, ofSelection(base, SelectionChanged, b), a, b, "selection", "line", "qualifier", "subject", "subject_2", "dimension", "grid_row", "grid_column",
		"provider_selection_id")
}

// odds compares the provider's digits. The fractional form counts only if the decimal form is
// the same.
func (r *run) odds(base Change, a, b *table.SelectionRow) error {
	moved := ofSelection(base, OddsMoved, b)
	if old, now := oddsOf(a), oddsOf(b); old != now {
		if a.OddsDecimal != nil && b.OddsDecimal != nil && *a.OddsDecimal > 0 {
			percent := math.Round((*b.OddsDecimal-*a.OddsDecimal) / *a.OddsDecimal * 1e4) / 100
			moved.Percent = &percent
		}
		return r.field(moved, "odds_decimal", old, now)
	}
	return columns(r, moved, a, b, "odds_fractional")
}

func oddsOf(s *table.SelectionRow) Value { return column(s, "odds_decimal_text") }

// qualityOf returns the verdict on a selection with its reasons, except for a suspension, which
// is a change of its own.
func qualityOf(s *table.SelectionRow) Value {
	text := s.QualityStatus
	if !s.Publishable {
		text += ", not publishable"
	}
	var reasons []string
	for _, reason := range s.Reasons {
		if reason != suspended {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) > 0 {
		text += ": " + strings.Join(reasons, ", ")
	}
	return valueOf(text)
}
