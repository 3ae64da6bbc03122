package wording

import (
	"mkt/fetch/input"
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// Plan is a form applied to one offer: without the parts that the table's claim determines.
type Plan struct {
	*form
	Term  *football.Term
	Claim *input.Reading
	token.Dialect

	want, may slots
	Fixed     Side // the market's side according to the table
	sided     bool // a row may name a side
	Signed    bool // the line is a handicap
	whole     bool // the line is a whole number
	ThreeWay  bool // a total with Exactly
	nouns     []input.Phrase
	sentence  string
	when      string // AFTER or BEFORE: the position of an event's time
}

// planOf joins the claim with the vocabulary. ok is false if there is no way to read such a
// market: an unknown name, a period it does not have, or no form.
func planOf(claim *input.Reading) (p Plan, ok bool) {
	term, found := football.Lookup(claim.Market)
	f := forms[claim.Market]
	if !found || f == nil || claim.Dialect == nil {
		return Plan{}, false
	}
	byHalf := claim.Condition == input.NeedsHalves
	if byHalf && !(term.AllowsPeriod("1H") && term.AllowsPeriod("2H")) || !byHalf && !term.AllowsPeriod(claim.Period) {
		return Plan{}, false
	}
	p = Plan{form: f, Term: term, Claim: claim, Dialect: token.Dialect{Dialect: claim.Dialect}, want: f.want, may: f.may,
		nouns: claim.Dialect.Nouns[term.Dimension], sentence: claim.Dialect.Sentences[claim.Market], when: "BEFORE"}
	if claim.Market == "LATE_GOAL" {
		p.when = "AFTER"
	}
	p.Signed = term.Line == football.AsianHandicap || term.Line == football.EuropeanHandicap
	p.whole = term.Line == football.WholeTotalLine || term.Line == football.EuropeanHandicap
	p.ThreeWay = term.Line == football.WholeTotalLine
	switch claim.Subject {
	case "HOME":
		p.fix(Home)
	case "AWAY":
		p.fix(Away)
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
func (p *Plan) fix(s Side) {
	p.Fixed = s
	p.want &^= about
	p.may |= about
}

// IsSplit reports whether the rows of one offer are of several markets.
func (p *Plan) IsSplit() bool {
	return p.want&(about|half) != 0 || p.Claim.Condition == input.NeedsScorers || p.may&about != 0 && p.Fixed == NoSide
}

// IsAboutPlayers reports whether the rows of the market are about players.
func (p *Plan) IsAboutPlayers() bool { return p.player != noPlayer }
