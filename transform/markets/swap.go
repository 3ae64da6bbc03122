package markets

import (
	"slices"
	"strings"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// proveSides marks rows of two labels that can each be the side and each the number,
// such as "1" and "2" for the home side by two or the away side by one. The other rows of
// the market prove which label has the side: those of which the other label is none,
// such as "4+", or that have a side which is no number, such as "X".
func (d *Deriver) proveSides(o *input.Offer) {
	var proven map[[2]string]bool
	for i := range d.readings {
		if !d.readings[i].swaps {
			continue
		}
		side, number := d.reader.swappable(&o.Rows[i])
		fields := [2]string{side, number}
		is, known := proven[fields]
		if !known {
			is = side != "" && d.hasSideIn(o, side, number) && !d.hasSideIn(o, number, side)
			if proven == nil {
				proven = make(map[[2]string]bool)
			}
			proven[fields] = is
		}
		if !is {
			d.readings[i] = reading{reason: football.AmbiguousShape}
		}
	}
}

// hasSideIn reports whether a row that was read must have its side in one field and not in
// the other: there is no side in the other, or the text in the field is no number.
func (d *Deriver) hasSideIn(o *input.Offer, field, other string) bool {
	for i := range o.Rows {
		side, number := o.Rows[i].Label(field), o.Rows[i].Label(other)
		if d.readings[i].reason == "" && number != "" && d.reader.isSide(side) && (!d.reader.isSide(number) || !strings.ContainsAny(side, "0123456789")) {
			return true
		}
	}
	return false
}

// swappable returns the fields of the label that was read as the side and of the one that
// could be it, "" if these are not two labels.
func (r *rowReader) swappable(row *input.Row) (side, number string) {
	if !r.takeTexts(row.Labels) {
		return "", ""
	}
	var fields []string
	for _, text := range r.texts {
		if !r.isSide(text) {
			continue
		}
		at := slices.IndexFunc(row.Labels, func(l football.Label) bool {
			return strings.TrimSpace(l.Text) == text && !r.plan.claim.Dialect.Unread[l.Field] && !slices.Contains(fields, l.Field)
		})
		if at >= 0 {
			fields = append(fields, row.Labels[at].Field)
		}
	}
	if len(fields) != 2 || fields[0] == fields[1] {
		return "", ""
	}
	return fields[0], fields[1]
}

// isSide reports whether a text is a side and nothing else.
func (r *rowReader) isSide(text string) bool {
	text = clean(text)
	var sides sideMatches
	return slices.ContainsFunc(r.sidesAt(text, &sides), func(m sideMatch) bool { return int(m.size) == len(text) })
}
