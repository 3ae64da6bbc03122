package history

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mkt/publish/steps"
	"mkt/publish/table"
)

// Market is a market with the paths of its prices.
type Market struct {
	table.MarketRow          // in the newest step that has it
	Newest          int      // the index of that step
	Series          []Series // in the provider's order; those absent from that step come last
}

// Series is the path of the price of one selection.
type Series struct {
	SelectionID string
	Name        string  // from the newest step with the selection
	Line        string  // as LineOf returns it
	Points      []Point // one for each step of the path

	Opening, Closing steps.Judged // of the whole path up to the end of the range

	row    table.SelectionRow // in the newest step with the selection
	newest int                // the index of that step
}

// Point is a price at a step.
type Point struct {
	State   Price
	Text    string   // the provider's own digits; "" without a price
	Number  float64  // the position on a scale; 0 without a price. Never shown.
	Reasons []string // why it is not publishable
	Same    bool     // nothing differs from the point before
}

// HasPrice reports whether the provider sent a price.
func (p Point) HasPrice() bool { return p.State == Offered || p.State == Withheld }

// Suspended reports whether the provider marks the selection as suspended.
func (p Point) Suspended() bool { return IsSuspended(p.Reasons) }

func (p Point) equals(o Point) bool {
	return p.State == o.State && p.Text == o.Text && slices.Equal(p.Reasons, o.Reasons)
}

// pointOf returns the price of a point that is judged.
func pointOf(x *steps.Point) Point {
	if !x.Present {
		return Point{State: NoSelection}
	}
	var row table.SelectionRow
	setPrice(&row, x)
	return PointOf(&row)
}

// setPrice sets the line and the price of a selection to those of a point.
func setPrice(s *table.SelectionRow, x *steps.Point) {
	s.Line, s.OddsFractional, s.OddsDecimalText, s.Publishable, s.Reasons, s.Absent = x.Line, x.OddsFractional, x.OddsDecimalText, x.Publishable, x.Reasons, x.Absent
}

// PointOf returns the price of a selection.
func PointOf(s *table.SelectionRow) Point {
	p := Point{State: Offered, Reasons: s.Reasons}
	switch {
	case s.OddsDecimalText != nil:
		p.Text = *s.OddsDecimalText
		p.Number, _ = strconv.ParseFloat(p.Text, 64)
	case s.OddsFractional != nil:
		p.Text = *s.OddsFractional
		p.Number = place(p.Text)
	case slices.Contains(s.Absent, "odds_decimal") && slices.Contains(s.Absent, "odds_fractional"):
		p.State = AbsentPrice
		return p
	default:
		p.State = NullPrice
		return p
	}
	if !s.Publishable {
		p.State = Withheld
	}
	return p
}

// place returns where a fractional price lies among decimal ones.
func place(fraction string) float64 {
	over, under, ok := strings.Cut(fraction, "/")
	a, errA := strconv.ParseFloat(over, 64)
	b, errB := strconv.ParseFloat(under, 64)
	if !ok || errA != nil || errB != nil || b <= 0 || a < 0 {
		return 0
	}
	return 1 + a/b
}

// NameOf returns the name of a selection: its subject, outcome, line and qualifier, or else its
// labels, or its id.
func NameOf(s *table.SelectionRow) string {
	var parts []string
	for _, p := range []*string{s.Subject, s.Selection, s.Line, s.Qualifier} {
		if t := text(p); t != "" && !slices.Contains(parts, t) && (p != s.Subject || t != "MATCH") {
			parts = append(parts, t)
		}
	}
	if len(parts) == 0 {
		for _, l := range s.Labels {
			parts = append(parts, l.Text)
		}
	}
	return cmp.Or(strings.Join(parts, " "), s.SelectionID)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Current returns the newest point of a series.
func (s *Series) Current() Point { return s.Points[len(s.Points)-1] }

// Moves returns how often the shown price changed.
func (s *Series) Moves() (n int) {
	was := ""
	for _, p := range s.Points {
		if p.HasPrice() && p.Text != was {
			if was != "" {
				n++
			}
			was = p.Text
		}
	}
	return n
}

// LineOf returns the line shared by a selection and its counterparts, "" if it has none. The line of
// a handicap is the home side's: "HOME -0.5" and "AWAY +0.5" have the same.
func LineOf(s *table.SelectionRow) string {
	line := text(s.Line)
	if text(s.Selection) != "AWAY" {
		return line
	}
	if rest, ok := strings.CutPrefix(line, "+"); ok {
		return "-" + rest
	}
	if rest, ok := strings.CutPrefix(line, "-"); ok {
		return "+" + rest
	}
	return line
}

// CompareLines orders lines as numbers.
func CompareLines(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(x, y)
}

// MainLine returns the line of a market with the closest prices, usually the one with the most
// bets; "" if the market has no lines.
func MainLine(m *table.MarketRow) string {
	type span struct{ least, most float64 }
	lines := map[string]*span{}
	var order []string
	for i := range m.Selections {
		s := &m.Selections[i]
		price := PointOf(s)
		line := LineOf(s)
		if line == "" || price.Number <= 0 {
			continue
		}
		l := lines[line]
		if l == nil {
			l = &span{price.Number, price.Number}
			lines[line], order = l, append(order, line)
		}
		l.least, l.most = min(l.least, price.Number), max(l.most, price.Number)
	}
	best := ""
	for _, line := range order {
		if l := lines[line]; l.least < l.most && (best == "" || l.most/l.least < lines[best].most/lines[best].least) {
			best = line
		}
	}
	if best == "" && len(order) > 0 {
		best = order[0]
	}
	return best
}

// Note describes a price in any state but [Offered].
func (p Point) Note() string {
	switch p.State {
	case Withheld:
		if len(p.Reasons) == 0 {
			return "not publishable"
		}
		return strings.ToLower(strings.ReplaceAll(strings.Join(p.Reasons, ", "), "_", " "))
	case NullPrice:
		if p.Suspended() {
			return "suspended, price null"
		}
		return "null: sent without a value"
	case AbsentPrice:
		if p.Suspended() {
			return "suspended, no price sent"
		}
		return "absent: no price sent"
	case NoSelection:
		return "not offered"
	case NoMarket:
		return "market not offered"
	case NoFixture:
		return "fixture removed"
	}
	return ""
}
