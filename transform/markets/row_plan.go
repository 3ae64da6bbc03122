package markets

import (
	"mkt/fetch/input"
	"mkt/publish/football"
)

// plan is a form applied to one offer: without the parts that the table's claim determines.
type plan struct {
	*form
	term  *football.Term
	claim *input.Reading
	dialect

	want, may slots
	fixed     side // the market's side according to the table
	sided     bool // a row may name a side
	signed    bool // the line is a handicap
	whole     bool // the line is a whole number
	threeWay  bool // a total with Exactly
	nouns     []input.Phrase
	sentence  string
	when      string // AFTER or BEFORE: the position of an event's time
}

// planOf joins the claim with the vocabulary. ok is false if there is no way to read such a
// market: an unknown name, a period it does not have, or no form.
func planOf(claim *input.Reading) (p plan, ok bool) {
	term, found := football.Lookup(claim.Market)
	f := forms[claim.Market]
	if !found || f == nil || claim.Dialect == nil {
		return plan{}, false
	}
	byHalf := claim.Condition == input.NeedsHalves
	if byHalf && !(term.AllowsPeriod("1H") && term.AllowsPeriod("2H")) || !byHalf && !term.AllowsPeriod(claim.Period) {
		return plan{}, false
	}
	p = plan{form: f, term: term, claim: claim, dialect: dialect{claim.Dialect}, want: f.want, may: f.may,
		nouns: claim.Dialect.Nouns[term.Dimension], sentence: claim.Dialect.Sentences[claim.Market], when: "BEFORE"}
	if claim.Market == "LATE_GOAL" {
		p.when = "AFTER"
	}
	p.signed = term.Line == football.AsianHandicap || term.Line == football.EuropeanHandicap
	p.whole = term.Line == football.WholeTotalLine || term.Line == football.EuropeanHandicap
	p.threeWay = term.Line == football.WholeTotalLine
	switch claim.Subject {
	case "HOME":
		p.fix(home)
	case "AWAY":
		p.fix(away)
	}
	if claim.Parameter != "" {
		p.want &^= target
	}
	if byHalf {
		p.want |= half
	}
	p.sided = (p.want|p.may)&(about|head|owner) != 0
	for i := range p.parts {
		k := p.parts[i].kind
		p.sided = p.sided || k == sideClass || k == doubleClass || k == onlyClass
	}
	return p, true
}

// fix sets the market's side: the rows may repeat it, not change it.
func (p *plan) fix(s side) {
	p.fixed = s
	p.want &^= about
	p.may |= about
}

// isSplit reports whether the rows of one offer are of several markets.
func (p *plan) isSplit() bool {
	return p.want&(about|half) != 0 || p.claim.Condition == input.NeedsScorers || p.may&about != 0 && p.fixed == noSide
}

// isAboutPlayers reports whether the rows of the market are about players.
func (p *plan) isAboutPlayers() bool { return p.player != noPlayer }
