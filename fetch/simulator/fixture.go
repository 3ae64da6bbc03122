package simulator

import (
	"cmp"
	"slices"
	"time"
)

// Status of a fixture.
type Status uint8

const (
	NotStarted Status = iota
	InPlay
	Ended
	Postponed
	Cancelled
	Withdrawn // removed from the list without any status
)

// Fixture is one match at one moment.
type Fixture struct {
	Number  int64 // identifies the fixture in the calendars for good
	League  League
	Home    Team
	Away    Team
	KickOff time.Time // UTC, whole minutes
	Status  Status
	Moved   bool // the kick-off is not the one first announced
	dice    dice // random numbers of this fixture
	real    *realMatch
	begins  time.Time // the true kick-off of a real match
}

// Lot returns a number in [0, n) that never changes for a fixture and a subject.
func (f Fixture) Lot(n int, about ...uint64) int { return f.dice.under(n, about...) }

func (w *World) fixture(n int64, now time.Time) Fixture {
	d := dice(w.dice.of(uint64(n), 1))
	place, entry := placeOf(n)
	if place == pitches {
		return w.replayed(w.pitches.fixture(entry, d), now)
	}
	var c *calendar
	for i := range w.calendars {
		if w.calendars[i].place == place {
			c = &w.calendars[i]
		}
	}
	l := c.pool.at(d.under(c.pool.sum, 2))
	s := w.sidesOf(c, entry)
	f := Fixture{
		Number:  n,
		League:  l,
		Home:    w.teams[l.Number][s.home],
		Away:    w.teams[l.Number][s.away],
		KickOff: c.slot(entry),
		dice:    d,
	}
	w.applyLots(&f, now)
	if f.Namesake() {
		f.Away.Players = slices.Clone(f.Away.Players)
		f.Away.Players[1] = f.Home.Players[1]
	}
	return f
}

// Namesake reports whether both sides have a player of the same name: the second of each
// squad, on one fixture in thirty.
func (f Fixture) Namesake() bool {
	return len(f.Home.Players) > 1 && len(f.Away.Players) > 1 && f.Lot(30, 25) == 0
}

// applyLots applies the changes to the fixture that its lots hold: about one in forty is
// called off on its last day, one in fifty starts later than announced.
func (w *World) applyLots(f *Fixture, now time.Time) {
	notice := f.KickOff.Add(-time.Duration(f.Lot(20*60, 21)) * time.Minute)
	known := !now.Before(notice)
	switch lot := f.Lot(1000, 22); {
	case lot < 15 && known:
		f.Status = Postponed
	case lot >= 15 && lot < 20 && known:
		f.Status = Cancelled
	case lot >= 20 && lot < 25 && known:
		f.Status = Withdrawn
	case lot >= 25 && lot < 45 && known:
		f.KickOff = f.KickOff.Add(time.Duration(1+f.Lot(12, 23)) * 10 * time.Minute)
		f.Moved = true
	}
	w.progress(f, now)
}

func (w *World) progress(f *Fixture, now time.Time) {
	if f.Status != NotStarted || now.Before(f.KickOff) {
		return
	}
	f.Status = InPlay
	if now.Sub(f.KickOff) > liveReach || !now.Before(w.over(f)) {
		f.Status = Ended
	}
}

// over returns when the fixture is reported to have ended. Only for a cup tie does this
// need the match to be played.
func (w *World) over(f *Fixture) time.Time {
	var end time.Duration
	switch goesOn, _ := f.knockout(); {
	case f.real != nil:
		end = f.real.end()
	case goesOn:
		end = w.stage(*f).end()
	default:
		end = draft(*f)[1].To
	}
	return f.whistle().Add(end + f.confirmed())
}

// shown reports whether a list of coming matches includes the fixture. One ended fixture
// in three stays for some hours, as real lists are cleaned up late.
func (f Fixture) shown(now time.Time, ahead bool) bool {
	switch f.Status {
	case NotStarted:
		return true
	case Postponed, Cancelled:
		return ahead || now.Sub(f.KickOff) < 3*time.Hour
	case Withdrawn:
		return ahead
	case Ended:
		stays := 7 * time.Hour
		if f.Number < 0 { // announced late, removed early
			stays = 2 * time.Hour
		}
		return f.Lot(3, 24) == 0 && now.Sub(f.KickOff) < stays
	default:
		return false
	}
}

func sortFixtures(list []Fixture) {
	slices.SortFunc(list, func(a, b Fixture) int {
		return cmp.Or(a.KickOff.Compare(b.KickOff), cmp.Compare(a.Number, b.Number))
	})
}
