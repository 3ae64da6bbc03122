package suspicion

import (
	"cmp"
	"slices"
	"strings"

	"mkt/publish/football"
	"mkt/transform/markets/price"
	"mkt/transform/markets/token"
)

// Bounds below which nothing is suspicious.
const (
	leastMargin = 0.95
	mostMargin  = 1.30
	chanceStep  = 0.02 // chances of neighbouring lines count as equal if they differ less: a step of the price makes as much
	clearLead   = 1.15 // a side is the favourite if the other's price is at least its own times this
	evenLead    = 0.90 // if a side gives half a goal or more, this ratio is enough
	swapStep    = 0.05 // outcomes are swapped if both chances differ by this, and by at most half of it the other way round
	maxQuotes   = 512  // of a market; the rest is not looked at
	maxLeads    = 256  // of a fixture, likewise
	maxPairs    = 512  // of a fixture, likewise
)

// leastPossible is the share below which a sum of chances cannot be: whoever bet on every outcome would win for
// certain. Recorded ones are above 0.95.
const leastPossible = 0.80

// quote is the selections of one line about one subject.
type quote struct {
	line               token.Quarters // of the home side, in a handicap
	subject, qualifier string
	rows               int
	met                [3]bool    // the outcomes with a row
	price              [3]float64 // of those on offer
	signed             bool       // a price has a sign: it is in the American form
	disproved          bool
}

// Quotes are the quotes of a market. The buffer is reused.
type Quotes struct{ list []quote }

// collect fills quotes with the selections of a market.
func (s *Quotes) collect(selections []football.Selection, q *question) {
	s.list = s.list[:0]
	for i := range selections {
		sel := &selections[i]
		if slices.Contains(sel.Quality.Reasons, football.Superseded) {
			continue
		}
		n := slices.Index(q.outcomes, sel.Selection)
		switch {
		case n < 0 && (!q.noLine || len(s.list) == 0), q.lacksLine(sel):
			continue // an unread row
		case n < 0:
			s.list[0].rows++
			continue
		}
		k := s.quote(q.lineOf(sel), sel)
		if k == nil {
			return
		}
		k.rows++
		k.met[n] = true
		if k.price[n] == 0 && q.isOffer(sel) {
			k.price[n] = price.Of(sel)
		}
		k.signed = k.signed || slices.ContainsFunc(sel.Labels, func(l football.Label) bool {
			return (l.Field == price.DecimalField || l.Field == price.OtherField) && l.Text != "" && strings.Contains("+-", l.Text[:1])
		})
	}
}

// quote finds the quote of a selection, or adds it; nil if there are too many.
func (s *Quotes) quote(line token.Quarters, sel *football.Selection) *quote {
	if k := s.find(line, sel); k != nil {
		return k
	}
	if len(s.list) == maxQuotes {
		return nil
	}
	s.list = append(s.list, quote{line: line, subject: sel.Subject, qualifier: sel.Qualifier})
	return &s.list[len(s.list)-1]
}

// find returns the quote of a selection, nil if there is none.
func (s *Quotes) find(line token.Quarters, sel *football.Selection) *quote {
	for i := len(s.list) - 1; i >= 0; i-- {
		if k := &s.list[i]; k.line == line && k.subject == sel.Subject && k.qualifier == sel.Qualifier {
			return k
		}
	}
	return nil
}

// name returns a quote's line for a person.
func (k *quote) name(q *question) string {
	words := make([]string, 0, 3)
	switch {
	case q.handicap:
		words = append(words, "line "+k.line.Handicap())
	case !q.noLine:
		words = append(words, "line "+k.line.Total())
	}
	for _, text := range []string{k.subject, k.qualifier} {
		if text != "" {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return "the market"
	}
	return strings.Join(words, " ")
}

// sum returns the sum of the chances by the prices, and how many outcomes have none.
func (k *quote) sum(q *question) (sum float64, unpriced int) {
	for n := range q.outcomes {
		if k.price[n] > 0 {
			sum += 1 / k.price[n]
		} else {
			unpriced++
		}
	}
	return sum, unpriced
}

// margin returns the sum of the chances, and whether no bookmaker asks it. An outcome without a price does not switch the
// test off.
func (k *quote) margin(q *question) (sum float64, odd bool) {
	sum, unpriced := k.sum(q)
	return sum, sum > mostMargin*q.happen || unpriced == 0 && sum < leastMargin*q.happen || k.cannotBe(q)
}

// cannotBe reports whether the prices are in no way those of the outcomes: their chances are too few for what must
// happen, or they leave nothing for a draw that has no row, or one of them has a sign, so that all of them are in the
// American form.
func (k *quote) cannotBe(q *question) bool {
	sum, unpriced := k.sum(q)
	noDraw := len(q.outcomes) == 3 && q.outcomes[1] == "DRAW" && !k.met[1]
	return sum < leastPossible*(q.happen-float64(unpriced)) || noDraw && sum >= price.LeastPair || k.signed && sum > 0
}

func compareQuotes(a, b quote) int {
	return cmp.Or(cmp.Compare(a.subject, b.subject), cmp.Compare(a.qualifier, b.qualifier), cmp.Compare(a.line, b.line))
}
