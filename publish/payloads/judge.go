package payloads

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// The limits that decide what is a change. docs/operators.md explains them.
const (
	// enough is the past without which nothing is missed, and nothing is new.
	enough = 3 * day
	// accepted is the time after which the new form is the known one.
	accepted = 7 * day
	// inARow is how many observations must agree, and least how many items.
	inARow, least = 2, 3
	// lasting is how long a change of matches in play must last: longer than a half.
	lasting = time.Hour
	// chance is how probable it may be that what is gone is missing by chance, by the share of the week before, and
	// worst by the share of its worst observation.
	chance, worst = 1e-8, 1e-5
	// rare is the rate of missing above which a thing comes and goes. What is around the list comes and goes for many
	// answers in a row.
	rare, rareAround = .75, .05
	// often is the part of the items that must have what is new.
	often = 5
	// A market is counted as lost if it is in fewer fixtures by more than so many standard deviations, or in none and
	// at least so many are expected.
	deviations, expected = 3, 5
)

// isKnown reports whether there is enough past to miss the thing.
func (p *past) isKnown(at time.Time) bool {
	days := 0
	for _, d := range p.Days {
		if d.Has > 0 {
			days++
		}
	}
	return days >= 3 && at.Sub(p.First) >= enough
}

// isGone reports whether the thing is missing in so many items that this is not chance. A thing that is missing at
// some times, as at night, must be missing in twice as many items.
func (p *past) isGone(m *memory, live bool) bool {
	if p.Gone == nil || p.Gone.Cycles < inARow || live && m.At.Sub(p.Gone.Since) < lasting {
		return false
	}
	has, of := p.total()
	rate, without := float64(of-has+1)/float64(of+1), 0
	highest := rate
	for _, d := range p.Days {
		highest, without = max(highest, 1-float64(d.Low)/1000), max(without, d.Without)
	}
	n, most := p.missed(), float64(rare)
	if p.Envelope {
		most = rareAround
	}
	return highest <= most && n >= least && n > 2*without && math.Pow(rate, float64(n)) <= chance && math.Pow(highest, float64(n)) <= worst
}

func (p *past) total() (has, of int) {
	for _, d := range p.Days {
		has, of = has+d.Has, of+d.Of
	}
	return has, of
}

// isYoung reports whether the thing appeared when enough was known to call it new, and is not known for a week.
func (m *memory) isYoung(p *past) bool {
	return p.First.Sub(m.Began) >= enough && m.At.Sub(p.First) < accepted
}

// hasLonger reports whether the object with the member was known for long when the member appeared. Of an
// object that is rare or new, nobody can say which members are new.
func hasLonger(object, p *past) bool {
	if object == nil || object == p || !object.isKnown(p.First) {
		return false
	}
	objects := 0
	for _, d := range object.Days {
		objects += d.Objects
	}
	return objects >= 10*p.has
}

// grow counts the observations in a row in which a young thing is frequent.
func (p *past) grow(m *memory, has, of int, young bool) {
	switch {
	case !young || has*often < of || has < least && !p.Envelope:
		if of > 0 || !young {
			p.New = nil
		}
		return
	case p.New == nil:
		p.New = &streak{Since: m.At, After: m.before}
	}
	p.New.add(has, has, of)
}

func (p *past) isNew(m *memory, live bool) bool {
	return p.New != nil && p.New.Cycles >= inARow && p.New.Items >= least && !(live && m.At.Sub(p.New.Since) < lasting)
}

// report judges what is remembered.
func (m *memory) report(o Observation) Report {
	r := Report{Format: format, Source: m.Source, Cycle: m.Cycle, Live: o.Live}
	look := func(endpoint string, known map[string]*past, gone, fresh Kind) {
		for name, p := range known {
			c := Change{Answers: endpoint, Name: name, Title: p.Title}
			switch {
			case p.isGone(m, o.Live):
				c.Kind, c.Since, c.After = gone, p.Gone.Since, p.Gone.After
				c.Has, c.Of = p.total()
			case p.isNew(m, o.Live):
				c.Kind, c.Since, c.After, c.Has, c.Of = fresh, p.New.Since, p.New.After, p.New.Has, p.New.Of
			default:
				continue
			}
			r.Changes = append(r.Changes, c)
		}
	}
	for endpoint, known := range m.Answers {
		look(endpoint, known, FieldGone, FieldNew)
	}
	if !o.Live {
		look("", m.Markets, MarketGone, MarketNew)
	}
	slices.SortFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)), cmp.Compare(b.Has, a.Has), cmp.Compare(a.Answers, b.Answers), cmp.Compare(a.Name, b.Name))
	})
	if len(r.Changes) > 0 {
		r.LostMarkets, r.LostFixtures = m.lost(r.First().Since, o.Fixtures)
	}
	return r
}

// lost estimates how many markets are not usable any more, and of how many fixtures: the difference to the whole days
// before since, of every market that is in clearly fewer fixtures.
func (m *memory) lost(since time.Time, fixtures int) (markets, lostIn int) {
	until := since.UTC().Format(dayLayout)
	all, sum := float64(fixtures), 0.
	for _, key := range slices.Sorted(maps.Keys(m.Markets)) {
		p := m.Markets[key]
		var rated, usable, usableIn int
		for _, d := range p.Days {
			if d.Day < until {
				rated, usable, usableIn = rated+d.Rated, usable+d.Usable, usableIn+d.UsableIn
			}
		}
		if rated == 0 {
			continue
		}
		share := float64(usableIn) / float64(rated)
		fewer := share*all - float64(p.usableIn)
		if fewer-1 <= deviations*math.Sqrt(all*share*(1-share)) && (p.usableIn > 0 || fewer < expected) {
			continue
		}
		sum += float64(usable)/float64(rated)*all - float64(p.usable)
		lostIn = max(lostIn, int(math.Round(fewer)))
	}
	return max(0, int(math.Round(sum))), lostIn
}
