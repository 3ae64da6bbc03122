package markets

import (
	"cmp"
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// claimOf returns the plan of an entry of a mapping table. Entries do not change.
func (d *Deriver) claimOf(claim *input.Reading) *claimed {
	c := d.claims[claim]
	if c == nil {
		c = &claimed{known: make(map[string]*known)}
		c.plan, c.ok = planOf(claim)
		if len(d.claims) < maxClaims {
			d.claims[claim] = c
		}
	}
	return c
}

func (d *Deriver) readRows(o *input.Offer, p plan) {
	d.reader.plan, d.reader.contradicts, d.reader.nobodies = p, false, 0
	d.readings = slices.Grow(d.readings[:0], len(o.Rows))[:len(o.Rows)]
	for i := range o.Rows {
		d.reader.read(&o.Rows[i], &d.readings[i])
	}
}

// verdict returns the reason why the rows do not prove the table's claim, "" if they do.
func (d *Deriver) verdict(o *input.Offer, p *plan) football.Reason {
	read, exactly, drawn, scoreDraw, named := 0, false, false, false, true
	common := d.readings[0].reason
	for i := range d.readings {
		rd := &d.readings[i]
		if rd.twoWay {
			continue
		}
		if rd.reason == "" && !rd.doubtful {
			read++
			exactly = exactly || rd.selection == "EXACTLY"
			scoreDraw = scoreDraw || rd.selection == "SCORE_DRAW"
			drawn = drawn || rd.selection == "DRAW"
			named = named && rd.named
		}
		if rd.reason != common {
			common = football.AmbiguousShape
		}
	}
	switch {
	case d.reader.contradicts:
		return football.AmbiguousShape
	case read == 0 && common == football.UnresolvedQualifier && !d.reader.names.known() && p.player == noPlayer:
		return football.NoParticipants
	case read == 0 && o.Reading.Condition != input.NoCondition:
		return football.ConditionFailed
	case read == 0:
		return cmp.Or(common, football.AmbiguousShape) // all lines are doubtful
	case o.Reading.Condition == input.NeedsExactly && !exactly,
		o.Reading.Condition == input.NeedsScoreDraw && !scoreDraw,
		p.term.NeedsDraw() && !drawn && !slices.ContainsFunc(o.Rows, isDamaged),
		o.Reading.Condition == input.NeedsBands && read < len(d.readings),
		o.Reading.Condition == input.NeedsGoals && (read < len(d.readings) || !named):
		return football.ConditionFailed
	}
	return ""
}

// isDamaged reports whether a row could not be read: it may be any outcome.
func isDamaged(row input.Row) bool { return row.Trouble != "" }

// allTwoWay turns a three-way total without a proven line into the two-way total it contains.
// Rows of neither count as not read.
func (d *Deriver) allTwoWay() {
	for i := range d.readings {
		if rd := &d.readings[i]; !rd.twoWay {
			*rd = reading{reason: cmp.Or(rd.reason, football.AmbiguousShape), twoWay: true}
		}
	}
}
