package payloads

import (
	"maps"
	"slices"
	"strings"
	"time"

	"mkt/publish/layout"
)

const (
	// kept is how many days before a change are remembered.
	kept = 8 * day
	// pause is the longest time without an observation after which the memory goes on.
	pause = 4 * day
	// mostMarkets bounds the names of markets. Real providers have up to 300.
	mostMarkets = 500

	day       = 24 * time.Hour
	dayLayout = "2006-01-02"
)

// memory is the content of state/payload_week.json.
type memory struct {
	Format  int                         `json:"format"` // 1
	Source  Source                      `json:"source"`
	Rules   string                      `json:"rules"`
	Began   time.Time                   `json:"began"`
	At      time.Time                   `json:"at"` // of the newest observation
	Cycle   layout.CycleID              `json:"cycle"`
	Answers map[string]map[string]*past `json:"answers"` // by endpoint and path
	Markets map[string]*past            `json:"markets"` // by key

	before layout.CycleID // the cycle that was observed before
}

// past is what is remembered of a member of answers, or of the markets of one name.
type past struct {
	Title    string    `json:"title,omitempty"`
	Envelope bool      `json:"envelope,omitempty"`
	First    time.Time `json:"first"`
	Days     []oneDay  `json:"days,omitempty"` // by UTC day, oldest first, without the time of Gone
	Gone     *streak   `json:"gone,omitempty"` // it is missing now, after enough past to miss it
	New      *streak   `json:"new,omitempty"`  // it is frequent now, since before which it was not

	has, usable, usableIn int // in the newest observation
}

// oneDay sums up the observations of a day. Items are fixtures for a market.
type oneDay struct {
	Day     string `json:"d"`
	Of      int    `json:"o"`           // items that could have it
	Has     int    `json:"h"`           // items that had it
	Without int    `json:"w,omitempty"` // most items of observations in a row in which none had it
	Objects int    `json:"b,omitempty"` // items in which it was an object
	Low     int    `json:"l"`           // the lowest share of an observation of ten items or more, in thousandths

	Rated    int `json:"r,omitempty"` // fixtures whose usable markets were counted
	Usable   int `json:"u,omitempty"`
	UsableIn int `json:"i,omitempty"`
}

// streak is a number of observations in a row in which a thing is missing, or frequent.
type streak struct {
	Since  time.Time      `json:"since"`
	After  layout.CycleID `json:"after"` // the cycle that was observed before
	Cycles int            `json:"cycles"`
	Items  int            `json:"items"`         // that lacked it, or that had it
	Most   int            `json:"most"`          // of one observation
	Has    int            `json:"has,omitempty"` // of Of items had it in the newest
	Of     int            `json:"of"`
}

func (s *streak) add(items, has, of int) {
	s.Cycles++
	s.Items += items
	s.Most, s.Has, s.Of = max(s.Most, items), has, of
}

// continues reports whether an observation belongs to what is remembered.
func (m *memory) continues(o Observation) bool {
	return m.Format == format && m.Source == o.Source && !o.At.Before(m.At) && o.At.Sub(m.At) <= pause
}

// clean drops what a damaged file has null for.
func (m *memory) clean() {
	isNull := func(_ string, p *past) bool { return p == nil }
	maps.DeleteFunc(m.Markets, isNull)
	for _, known := range m.Answers {
		maps.DeleteFunc(known, isNull)
	}
}

// add adds an observation.
func (m *memory) add(o Observation) {
	if m.Rules != o.Rules { // what was usable says nothing about what these rules make of it
		for _, p := range m.Markets {
			for i := range p.Days {
				p.Days[i].Rated, p.Days[i].Usable, p.Days[i].UsableIn = 0, 0, 0
			}
		}
	}
	m.Rules, m.At, m.Cycle, m.before = o.Rules, o.At, o.Cycle, m.Cycle
	if m.Answers == nil {
		m.Answers = make(map[string]map[string]*past)
	}
	for endpoint, fields := range o.Answers {
		if m.Answers[endpoint] == nil {
			m.Answers[endpoint] = make(map[string]*past)
		}
		known := m.Answers[endpoint]
		for path, f := range fields {
			p := m.of(known, path)
			p.Envelope = f.Envelope
		}
		for path, p := range known {
			f := fields[path]
			object := fields[above(path)]
			of := object.Objects
			if path == "" || of == 0 && !object.Envelope { // else it is no object any more
				of = object.Has
			}
			p.see(m, f.Has, of)
			if f.Objects > 0 {
				p.today(o.At).Objects += f.Objects
			}
			p.grow(m, f.Has, of, m.isYoung(p) && hasLonger(known[above(path)], p))
		}
		m.forget(known)
	}
	if m.Markets == nil {
		m.Markets = make(map[string]*past)
	}
	if o.Fixtures == 0 || len(o.Markets) > mostMarkets {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(o.Markets)) {
		if len(m.Markets) < 2*mostMarkets {
			m.of(m.Markets, key).Title = o.Markets[key].Title
		}
	}
	for key, p := range m.Markets {
		market := o.Markets[key]
		p.see(m, market.Has, o.Fixtures)
		p.grow(m, market.Unknown, o.Fixtures, m.isYoung(p) && !o.Live)
		if p.usable, p.usableIn = market.Usable, market.UsableIn; p.Gone == nil {
			d := p.today(o.At)
			d.Rated, d.Usable, d.UsableIn = d.Rated+o.Fixtures, d.Usable+market.Usable, d.UsableIn+market.UsableIn
		}
	}
	m.forget(m.Markets)
}

// of returns what is remembered by a name.
func (m *memory) of(known map[string]*past, name string) *past {
	if known[name] == nil {
		known[name] = &past{First: m.At}
	}
	return known[name]
}

// above returns the path of the object with a member.
func above(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}

// forget drops days that are too old, what was not seen since then, and what is gone for so long that
// the answers without it are the known ones.
func (m *memory) forget(known map[string]*past) {
	for name, p := range known {
		until := m.At
		if p.Gone != nil {
			until = p.Gone.Since
		}
		oldest, seen := until.Add(-kept).UTC().Format(dayLayout), false
		for len(p.Days) > 0 && p.Days[0].Day < oldest {
			p.Days = p.Days[1:]
		}
		for _, d := range p.Days {
			seen = seen || d.Has > 0
		}
		if !seen || p.Gone != nil && m.At.Sub(p.Gone.Since) >= accepted {
			delete(known, name)
		}
	}
}

// today returns the day of an observation.
func (p *past) today(at time.Time) *oneDay {
	today := at.UTC().Format(dayLayout)
	if n := len(p.Days); n == 0 || p.Days[n-1].Day != today {
		p.Days = append(p.Days, oneDay{Day: today, Low: 1000})
	}
	return &p.Days[len(p.Days)-1]
}

// see adds an observation in which has of of items had the thing.
func (p *past) see(m *memory, has, of int) {
	at := m.At
	p.has = has
	switch {
	case of == 0:
		return
	case has == 0 && p.Gone == nil && p.isKnown(at):
		p.Gone = &streak{Since: at, After: m.before}
		fallthrough
	case has == 0 && p.Gone != nil:
		p.Gone.add(of, 0, of)
		return
	case p.Gone != nil: // it came back
		d := p.today(at)
		if d.Of += p.Gone.Items; p.Gone.Cycles >= inARow { // else one cycle was faulty
			d.Without = max(d.Without, p.missed())
		}
		p.Gone = nil
	}
	d := p.today(at)
	d.Of, d.Has = d.Of+of, d.Has+has
	if of >= 10 {
		d.Low = min(d.Low, 1000*has/of)
	}
	if has == 0 {
		d.Without = max(d.Without, of)
	}
}

// missed is how many different items lacked the thing. Observations mostly see the same fixtures again, but
// not the same answers.
func (p *past) missed() int {
	if p.Envelope {
		return p.Gone.Items
	}
	return p.Gone.Most
}
