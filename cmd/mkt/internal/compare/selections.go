package compare

import (
	"math"
	"slices"
	"strings"

	"mkt/publish/football"
	"mkt/publish/table"
)

// selections pairs them by id: in A's order those that went or changed, then in
// B's those that came.
func (r *run) selections(base Change, a, b []table.SelectionRow) error {
	for i := range a {
		old := &a[i]
		k := slices.IndexFunc(b, func(s table.SelectionRow) bool { return s.SelectionID == old.SelectionID })
		if i < len(b) && b[i].SelectionID == old.SelectionID {
			k = i
		}
		var err error
		if k < 0 {
			err = r.emit(ofSelection(base, SelectionRemoved, old))
		} else {
			err = r.selection(base, old, &b[k])
		}
		if err != nil {
			return err
		}
	}
	for i := range b {
		if i < len(a) && a[i].SelectionID == b[i].SelectionID || slices.ContainsFunc(a, func(s table.SelectionRow) bool { return s.SelectionID == b[i].SelectionID }) {
			continue
		}
		if err := r.emit(ofSelection(base, SelectionAdded, &b[i])); err != nil {
			return err
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
	if odds := column(s.OddsDecimalText, "odds_decimal", s.Absent); what == SelectionAdded {
		base.New = odds
	} else if what == SelectionRemoved {
		base.Old = odds
	}
	return base
}

const suspended = string(football.Suspended)

// selection compares a selection that both have.
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
	changed := ofSelection(base, SelectionChanged, b)
	return r.fields(changed, []field{
		{"selection", column(a.Selection, "selection", a.Absent), column(b.Selection, "selection", b.Absent)},
		{"line", column(a.Line, "line", a.Absent), column(b.Line, "line", b.Absent)},
		{"qualifier", column(a.Qualifier, "qualifier", a.Absent), column(b.Qualifier, "qualifier", b.Absent)},
		{"subject", column(a.Subject, "subject", a.Absent), column(b.Subject, "subject", b.Absent)},
		{"subject_2", column(a.Subject2, "subject_2", a.Absent), column(b.Subject2, "subject_2", b.Absent)},
		{"dimension", column(a.Dimension, "dimension", a.Absent), column(b.Dimension, "dimension", b.Absent)},
		{"grid_row", column(a.GridRow, "grid_row", a.Absent), column(b.GridRow, "grid_row", b.Absent)},
		{"grid_column", column(a.GridColumn, "grid_column", a.Absent), column(b.GridColumn, "grid_column", b.Absent)},
		{"provider_selection_id", column(a.ProviderSelectionID, "provider_selection_id", a.Absent), column(b.ProviderSelectionID, "provider_selection_id", b.Absent)},
	})
}

// odds compares the provider's digits. The fractional form is told only where the
// decimal one is the same.
func (r *run) odds(base Change, a, b *table.SelectionRow) error {
	moved := ofSelection(base, OddsMoved, b)
	moved.Field = "odds_decimal"
	moved.Old, moved.New = column(a.OddsDecimalText, "odds_decimal", a.Absent), column(b.OddsDecimalText, "odds_decimal", b.Absent)
	if a.OddsDecimal != nil && b.OddsDecimal != nil && *a.OddsDecimal > 0 {
		percent := math.Round((*b.OddsDecimal-*a.OddsDecimal) / *a.OddsDecimal * 1e4) / 100
		moved.Percent = &percent
	}
	if moved.Old == moved.New {
		moved.Field, moved.Percent = "odds_fractional", nil
		moved.Old, moved.New = column(a.OddsFractional, "odds_fractional", a.Absent), column(b.OddsFractional, "odds_fractional", b.Absent)
	}
	if moved.Old == moved.New {
		return nil
	}
	return r.emit(moved)
}

// qualityOf is whether the service vouches for a selection, and why not; a
// suspension is told by itself.
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
