// Package proof reads the rows of an offer together, and proves that they are of the market which the
// mapping table claims.
package proof

import (
	"cmp"
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/wording"
)

// maxClaims bounds the memory of a prover: entries of mapping tables.
const maxClaims = 4096

// Prover reads the rows of an offer, and proves with all of them that they are of the market which
// the mapping table claims. It keeps buffers: one goroutine at a time.
type Prover struct {
	reader   wording.Reader
	claims   map[*input.Reading]*wording.Claim
	readings []wording.Reading // of the offer at hand, by row
}

// New returns a prover with empty buffers.
func New() Prover {
	return Prover{reader: wording.NewReader(), claims: make(map[*input.Reading]*wording.Claim)}
}

// proof is what the rows of an offer proved.
type proof struct {
	Plan     wording.Plan
	TwoWay   wording.Plan      // of the rows that are the two-way lines of a three-way total
	Readings []wording.Reading // by row; the prover's, until the next offer
	Reason   football.Reason   // why the offer stays RAW; "" if it is mapped
}

// Begin prepares for the offers of a fixture.
func (d *Prover) Begin(f *football.Fixture) { d.reader.Begin(f) }

// Prove reads an offer's rows. There is at least one.
func (d *Prover) Prove(o *input.Offer) proof {
	if o.Reading == nil {
		return proof{Reason: cmp.Or(o.RawReason, football.UnknownMarket)}
	}
	claim := d.claimOf(o.Reading)
	if !claim.Ok {
		return proof{Reason: football.NeverMapped}
	}
	p := claim.Plan
	d.readRows(o, claim)
	proveSides(&d.reader, d.readings, o)
	if p.ThreeWay {
		proveTotals(d.readings, o)
		if o.TwoWay != nil {
			d.readTwoWay(o, claim)
		}
	}
	if o.Reading.Shape&input.SignByPrices != 0 {
		if reason := proveSign(d.readings, o, &p); reason != "" {
			return proof{Reason: reason}
		}
	}
	reason := d.verdict(o, &p)
	hasTwoWay := o.TwoWay != nil && slices.ContainsFunc(d.readings, func(rd wording.Reading) bool { return rd.TwoWay })
	if reason != "" && !hasTwoWay {
		return proof{Reason: reason}
	}
	proven := proof{Plan: p, TwoWay: p, Readings: d.readings}
	if hasTwoWay {
		proven.TwoWay = d.claimOf(o.TwoWay).Plan
	}
	if reason != "" {
		d.allTwoWay()
	}
	return proven
}

// claimOf returns the plan of an entry of a mapping table. Entries do not change.
func (d *Prover) claimOf(claim *input.Reading) *wording.Claim {
	c := d.claims[claim]
	if c == nil {
		c = wording.NewClaim(claim)
		if len(d.claims) < maxClaims {
			d.claims[claim] = c
		}
	}
	return c
}

func (d *Prover) readRows(o *input.Offer, claim *wording.Claim) {
	d.reader.Use(claim)
	d.reader.BeginOffer()
	d.readings = slices.Grow(d.readings[:0], len(o.Rows))[:len(o.Rows)]
	for i := range o.Rows {
		d.reader.Read(&o.Rows[i], &d.readings[i])
	}
	if claim.Labelled == nil {
		return
	}
	d.reader.Use(claim.Labelled)
	contradicts := d.reader.Contradicts
	for i := range o.Rows {
		contradicts = contradicts || d.reader.Disagrees(&o.Rows[i], &d.readings[i])
	}
	d.reader.Use(claim)
	d.reader.Contradicts = contradicts
}

// verdict returns the reason why the rows do not prove the table's claim, "" if they do.
func (d *Prover) verdict(o *input.Offer, p *wording.Plan) football.Reason {
	read, exactly, drawn, scoreDraw, named := 0, false, false, false, true
	common := d.readings[0].Reason
	for i := range d.readings {
		rd := &d.readings[i]
		if rd.TwoWay {
			continue
		}
		if rd.Reason == "" && !rd.Doubtful {
			read++
			exactly = exactly || rd.Selection == "EXACTLY"
			scoreDraw = scoreDraw || rd.Selection == "SCORE_DRAW"
			drawn = drawn || rd.Selection == "DRAW"
			named = named && rd.Named
		}
		if rd.Reason != common {
			common = football.AmbiguousShape
		}
	}
	switch {
	case d.reader.Contradicts:
		return football.AmbiguousShape
	case read == 0 && common == football.UnresolvedQualifier && !d.reader.KnowsTeams() && !p.IsAboutPlayers():
		return football.NoParticipants
	case read == 0 && o.Reading.Condition != input.NoCondition && o.Reading.Condition != input.NeedsSigns:
		return football.ConditionFailed
	case read == 0:
		return cmp.Or(common, football.AmbiguousShape) // all lines are doubtful
	case o.Reading.Condition == input.NeedsExactly && !exactly,
		o.Reading.Condition == input.NeedsScoreDraw && !scoreDraw,
		p.Term.NeedsDraw() && !drawn && !slices.ContainsFunc(o.Rows, isDamaged),
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
func (d *Prover) allTwoWay() {
	for i := range d.readings {
		if rd := &d.readings[i]; !rd.TwoWay {
			*rd = wording.Reading{Reason: cmp.Or(rd.Reason, football.AmbiguousShape), TwoWay: true}
		}
	}
}

// readTwoWay reads the other rows in their second meaning: rows of two-way lines, and rows whose
// line is no whole number.
func (d *Prover) readTwoWay(o *input.Offer, claim *wording.Claim) {
	d.reader.Use(d.claimOf(o.TwoWay)) // a table's test ensures that it can be read
	for i := range d.readings {
		rd := &d.readings[i]
		if rd.Reason == "" && !rd.TwoWay || o.Rows[i].Trouble != "" {
			continue
		}
		rd.TwoWay = false
		var again wording.Reading
		if d.reader.Read(&o.Rows[i], &again); again.Reason == "" {
			*rd, rd.TwoWay = again, true
		}
	}
	d.reader.Use(claim)
	d.reader.Contradicts = false
}
