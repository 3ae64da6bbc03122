package history

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// Sizes of the chart.
const (
	chartWidth  = 1000.0
	chartHeight = 340.0
	chartLeft   = 44.0
	chartRight  = 830.0
	chartTop    = 26.0
	chartBottom = 300.0
	labelHeight = 15.0
)

// Chart is the path of prices as a figure. Prices hold until the next one: the curves are steps.
type Chart struct {
	Title                                   string
	Width, Height, Left, Right, Top, Bottom float64
	Curves                                  []Curve
	Prices, Times                           []Tick
	Marks                                   []Mark // kick-off, and the last step before it
}

// Curve is the path of one price.
type Curve struct {
	Class         string
	Name, Current string
	Label         float64 // where its label is
	Firm, Soft    string  // the path while the price was offered, and while it was not publishable
	Dots          []Dot
}

// Dot is a step of a curve.
type Dot struct {
	X, Y   float64
	Title  string
	Hollow bool
}

// Tick is a label of an axis.
type Tick struct {
	At   float64
	Text string
}

// Mark is a vertical line.
type Mark struct {
	X          float64
	Text, Side string
}

// priceTicks are the labels among which the axis of prices chooses.
var priceTicks = []float64{1, 1.02, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.75, 3, 3.25, 3.5, 3.75, 4, 4.5, 5, 6, 7, 8, 9, 10, 12, 15, 20,
	25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10_000}

//go:embed chart.html
var figure string

var figures = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("chart").Funcs(template.FuncMap{"f": func(f float64) string { return fmt.Sprintf("%.1f", f) }}).Parse(figure))
})

// draw draws series of a market's path.
func draw(p *Path, m *Market, list []Series) (template.HTML, error) {
	var out strings.Builder
	c := chartOf(p, list)
	if c != nil {
		c.Title = Title(&m.MarketRow)
	}
	err := figures().Execute(&out, c)
	return template.HTML(out.String()), err
}

// chartOf returns nil if there is no price to draw.
func chartOf(p *Path, list []Series) *Chart {
	least, most := math.Inf(1), 0.0
	for _, s := range list {
		for _, point := range s.Points {
			if point.Number > 0 {
				least, most = min(least, point.Number), max(most, point.Number)
			}
		}
	}
	if most == 0 || math.IsInf(most, 1) {
		return nil
	}
	c := &Chart{Width: chartWidth, Height: chartHeight, Left: chartLeft, Right: chartRight, Top: chartTop, Bottom: chartBottom}
	if most/least < 1.1 { // a small move must not look like a jump
		middle := math.Sqrt(least * most)
		least, most = middle/math.Sqrt(1.1), middle*math.Sqrt(1.1)
	}
	s := scale{low: math.Log(least), high: math.Log(most), from: stepTime(&p.Steps[0]), to: p.Until}
	pad := (s.high - s.low) * .06
	s.low, s.high = s.low-pad, s.high+pad
	if last := stepTime(&p.Steps[len(p.Steps)-1]); s.to.Before(last) {
		s.to = last
	}
	if s.to.Sub(s.from) < time.Minute {
		s.to = s.from.Add(time.Minute)
	}
	c.axes(s)
	for i := range list {
		c.Curves = append(c.Curves, s.curve(p, list, i))
	}
	c.placeLabels()
	c.mark(p, s)
	return c
}

// stepTime returns the time at which a step is drawn: when its prices were retrieved.
func stepTime(s *Step) time.Time {
	if s.FetchedAt.IsZero() {
		return s.PublishedAt
	}
	return s.FetchedAt
}

type scale struct {
	low, high float64 // logarithms: equal distances are equal ratios
	from, to  time.Time
}

func (s scale) x(t time.Time) float64 {
	return chartLeft + (chartRight-chartLeft)*float64(t.Sub(s.from))/float64(s.to.Sub(s.from))
}

func (s scale) y(price float64) float64 {
	return chartBottom - (chartBottom-chartTop)*(math.Log(price)-s.low)/(s.high-s.low)
}

func (c *Chart) axes(s scale) {
	last := math.Inf(1)
	for _, price := range priceTicks {
		if y := s.y(price); y <= chartBottom && y >= chartTop && last-y >= 24 {
			c.Prices, last = append(c.Prices, Tick{y, fmt.Sprint(price)}), y
		}
	}
	span := s.to.Sub(s.from)
	each := time.Minute
	for _, d := range []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
		24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour, 140 * 24 * time.Hour} {
		if each = d; span/d <= 7 {
			break
		}
	}
	if span/each > 100 {
		return
	}
	layout := "15:04"
	if each >= 24*time.Hour {
		layout = "2 Jan"
	} else if span > 20*time.Hour {
		layout = "2 Jan 15:04"
	}
	for at := s.from.UTC().Truncate(each).Add(each); !at.After(s.to); at = at.Add(each) {
		if x := s.x(at); x < chartRight-20 {
			c.Times = append(c.Times, Tick{x, at.Format(layout)})
		}
	}
}

// beside is how far apart curves at one price are drawn.
const beside = 3.0

// curve draws one of several series. While it has the price of one before it, it is drawn beside that.
func (s scale) curve(p *Path, list []Series, number int) Curve {
	of := &list[number]
	y := func(i int) float64 {
		y := s.y(of.Points[i].Number)
		for _, before := range list[:number] {
			if before.Points[i].Number == of.Points[i].Number {
				y += beside
			}
		}
		return y
	}
	c := Curve{Class: fmt.Sprintf("series-%d", number), Name: of.Name, Current: of.Current().Text}
	c.Label = (chartTop + chartBottom) / 2
	c.Firm, c.Soft = stairs(p, of, s.x, y, chartRight, func(i int, x, y float64) {
		point := of.Points[i]
		if !point.Same || i == 0 {
			title := fmt.Sprintf("%s: %s, retrieved %s", of.Name, point.Text, stepTime(&p.Steps[i]).Format("2006-01-02 15:04:05"))
			if point.State == Withheld {
				title += ", " + point.Note()
			}
			c.Dots = append(c.Dots, Dot{x, y, title, point.State == Withheld})
		}
		c.Label = y
	})
	if !of.Current().HasPrice() {
		c.Current = of.Current().Note()
	}
	return c
}

// placeLabels moves overlapping labels apart.
func (c *Chart) placeLabels() {
	order := make([]*Curve, len(c.Curves))
	for i := range c.Curves {
		order[i] = &c.Curves[i]
	}
	slices.SortStableFunc(order, func(a, b *Curve) int {
		return int(math.Copysign(math.Ceil(math.Abs(a.Label-b.Label)), a.Label-b.Label))
	})
	at := chartTop - labelHeight
	for _, o := range order {
		o.Label = max(o.Label, at+labelHeight)
		at = o.Label
	}
	at = chartBottom + labelHeight
	for _, o := range slices.Backward(order) {
		o.Label = min(o.Label, at-labelHeight)
		at = o.Label
	}
}

func (c *Chart) mark(p *Path, s scale) {
	add := func(at time.Time, text string) {
		if x := s.x(at); x >= chartLeft && x <= chartRight {
			m := Mark{X: x, Text: text, Side: "start"}
			if x > (chartLeft+chartRight)/2 {
				m.Side = "end"
			}
			c.Marks = append(c.Marks, m)
		}
	}
	if at := p.Fixture.StartsAt; at != nil {
		add(*at, "kick-off")
	}
}

// stairs returns the path of a price: while it was offered, and while it was not publishable. Each
// step goes on until the next one, the last until right. x returns where a time is, and y where the price of a step is.
func stairs(p *Path, of *Series, x func(time.Time) float64, y func(int) float64, right float64, each func(i int, x, y float64)) (firm, soft string) {
	var out [2]strings.Builder
	for i, point := range of.Points {
		if point.Number <= 0 {
			continue
		}
		kind, at, high, end := 0, x(stepTime(&p.Steps[i])), y(i), right
		if point.State == Withheld {
			kind = 1
		}
		if i+1 < len(p.Steps) {
			end = x(stepTime(&p.Steps[i+1]))
		}
		fmt.Fprintf(&out[kind], "M%.1f %.1fH%.1f", at, high, end)
		if i+1 < len(p.Steps) && of.Points[i+1].Number > 0 {
			fmt.Fprintf(&out[kind], "V%.1f", y(i+1))
		}
		if each != nil {
			each(i, at, high)
		}
	}
	return out[0].String(), out[1].String()
}

// key is the dot of a curve, in a text beside the chart; "" for no class.
func key(class string) template.HTML {
	if class == "" {
		return ""
	}
	return template.HTML(`<svg class="dot-key ` + class + `" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4" /></svg> `)
}

// Sizes of a small chart.
const (
	sparkWidth  = 120.0
	sparkHeight = 24.0
	sparkTail   = 8.0 // at least so long is the line of the newest price
)

// spark draws one series alone.
func spark(p *Path, of *Series, class string) template.HTML {
	least, most := math.Inf(1), 0.0
	for _, point := range of.Points {
		if point.Number > 0 {
			least, most = min(least, point.Number), max(most, point.Number)
		}
	}
	from := stepTime(&p.Steps[0])
	x := func(t time.Time) float64 {
		return (sparkWidth - sparkTail) * min(1, max(0, float64(t.Sub(from))/float64(max(time.Second, p.Until.Sub(from)))))
	}
	y := func(i int) float64 {
		if least == most {
			return sparkHeight / 2
		}
		return 2 + (sparkHeight-4)*(most-of.Points[i].Number)/(most-least)
	}
	firm, soft := stairs(p, of, x, y, sparkWidth, nil)
	return template.HTML(fmt.Sprintf(`<svg class="spark %s" viewBox="0 0 120 24" aria-hidden="true"><path class="price" d="%s" /><path class="price withheld" d="%s" /></svg>`, class, firm, soft))
}
