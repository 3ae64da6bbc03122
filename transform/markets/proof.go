package markets

import (
	"cmp"
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// maxClaims bounds the memory of a prover: entries of mapping tables.
const maxClaims = 4096

// prover reads the rows of an offer, and proves with all of them that they are of the market which
// the mapping table claims. It keeps buffers: one goroutine at a time.
type prover struct {
	reader   rowReader
	claims   map[*input.Reading]*claimed
	readings []reading // of the offer at hand, by row
}

// newProver returns a prover with empty buffers.
func newProver() prover {
	return prover{reader: newRowReader(), claims: make(map[*input.Reading]*claimed)}
}

// proof is what the rows of an offer proved.
type proof struct {
	plan     plan
	twoWay   plan            // of the rows that are the two-way lines of a three-way total
	readings []reading       // by row; the prover's, until the next offer
	reason   football.Reason // why the offer stays RAW; "" if it is mapped
}

// begin prepares for the offers of a fixture.
func (d *prover) begin(f *football.Fixture) { d.reader.begin(f) }

// prove reads an offer's rows, of which there is one or more.
func (d *prover) prove(o *input.Offer) proof {
	if o.Reading == nil {
		return proof{reason: cmp.Or(o.RawReason, football.UnknownMarket)}
	}
	claim := d.claimOf(o.Reading)
	if !claim.ok {
		return proof{reason: football.NeverMapped}
	}
	p := claim.plan
	d.readRows(o, claim)
	proveSides(&d.reader, d.readings, o)
	if p.threeWay {
		proveTotals(d.readings, o)
		if o.TwoWay != nil {
			d.readTwoWay(o, claim)
		}
	}
	if o.Reading.Shape&input.SignByPrices != 0 && !proveSign(d.readings, o, &p) {
		return proof{reason: football.AmbiguousShape}
	}
	reason := d.verdict(o, &p)
	hasTwoWay := o.TwoWay != nil && slices.ContainsFunc(d.readings, func(rd reading) bool { return rd.twoWay })
	if reason != "" && !hasTwoWay {
		return proof{reason: reason}
	}
	proven := proof{plan: p, twoWay: p, readings: d.readings}
	if hasTwoWay {
		proven.twoWay = d.claimOf(o.TwoWay).plan
	}
	if reason != "" {
		d.allTwoWay()
	}
	return proven
}

// claimOf returns the plan of an entry of a mapping table. Entries do not change.
func (d *prover) claimOf(claim *input.Reading) *claimed {
	c := d.claims[claim]
	if c == nil {
		c = newClaim(claim)
		if len(d.claims) < maxClaims {
			d.claims[claim] = c
		}
	}
	return c
}

func (d *prover) readRows(o *input.Offer, claim *claimed) {
	d.reader.use(claim)
	d.reader.beginOffer()
	d.readings = slices.Grow(d.readings[:0], len(o.Rows))[:len(o.Rows)]
	for i := range o.Rows {
		d.reader.read(&o.Rows[i], &d.readings[i])
	}
}

// verdict returns the reason why the rows do not prove the table's claim, "" if they do.
func (d *prover) verdict(o *input.Offer, p *plan) football.Reason {
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
	case read == 0 && common == football.UnresolvedQualifier && !d.reader.knowsTeams() && !p.isAboutPlayers():
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
func (d *prover) allTwoWay() {
	for i := range d.readings {
		if rd := &d.readings[i]; !rd.twoWay {
			*rd = reading{reason: cmp.Or(rd.reason, football.AmbiguousShape), twoWay: true}
		}
	}
}

// readTwoWay reads the other rows in their second meaning: rows of two-way lines, and rows whose
// line is no whole number.
func (d *prover) readTwoWay(o *input.Offer, claim *claimed) {
	d.reader.use(d.claimOf(o.TwoWay)) // a table's test ensures that it can be read
	for i := range d.readings {
		rd := &d.readings[i]
		if rd.reason == "" && !rd.twoWay || o.Rows[i].Trouble != "" {
			continue
		}
		rd.twoWay = false
		var again reading
		if d.reader.read(&o.Rows[i], &again); again.reason == "" {
			*rd, rd.twoWay = again, true
		}
	}
	d.reader.use(claim)
	d.reader.contradicts = false
}
