package markets

import (
	"slices"
	"strings"

	"mkt/publish/football"
)

// quote is the selections of one line about one subject.
type quote struct {
	line               quarters // of the home side, in a handicap
	subject, qualifier string
	rows               int
	met                [3]bool    // the outcomes with a row
	price              [3]float64 // of those on offer
	signed             bool       // a price has a sign: it is in the American form
	disproved          bool
}

// quotes are the quotes of a market. The buffer is reused.
type quotes struct{ list []quote }

// collect fills quotes with the selections of a market.
func (s *quotes) collect(selections []football.Selection, q *question) {
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
			k.price[n] = priceOf(sel)
		}
		k.signed = k.signed || slices.ContainsFunc(sel.Labels, func(l football.Label) bool {
			return (l.Field == decimalField || l.Field == otherField) && l.Text != "" && strings.Contains("+-", l.Text[:1])
		})
	}
}

// isOffer reports whether the price of a read row counts: it is publishable, or nothing but the other prices speaks
// against it. What is wrong with a three-way total is known before.
func (q *question) isOffer(s *football.Selection) bool {
	return s.Quality.Publishable || slices.Equal(s.Quality.Reasons, single[football.AmbiguousShape]) && !(q.total && len(q.outcomes) == 3)
}

func (q *question) lacksLine(s *football.Selection) bool {
	return !q.noLine && s.Line == "" && (q.total || q.handicap)
}

// lineOf returns the line of a selection, as the home side's in a handicap.
func (q *question) lineOf(s *football.Selection) quarters {
	if s.Line == "" {
		return 0
	}
	line, _, _ := parseNumber(s.Line)
	if q.asian && s.Selection == "AWAY" {
		line = -line
	}
	return line
}

// quote finds the quote of a selection, or adds it; nil if there are too many.
func (s *quotes) quote(line quarters, sel *football.Selection) *quote {
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
func (s *quotes) find(line quarters, sel *football.Selection) *quote {
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
		words = append(words, "line "+k.line.handicap())
	case !q.noLine:
		words = append(words, "line "+k.line.total())
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
