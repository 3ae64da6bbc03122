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
	Withdrawn // taken out of the list without a word
)

// Fixture is one match at one moment.
type Fixture struct {
	Number  int64 // its place in the calendar: stable for good
	League  League
	Home    Team
	Away    Team
	KickOff time.Time // UTC, whole minutes
	Status  Status
	Moved   bool // its kick-off is not the one first announced
	dice    dice // its own numbers
}

// Lot gives a number in [0, n) that is the fixture's own and never changes: for
// oddities that belong to a fixture.
func (f Fixture) Lot(n int, about ...uint64) int { return f.dice.under(n, about...) }

// fixture computes an entry of the calendar as it stands at a moment.
func (w *World) fixture(n int64, now time.Time) Fixture {
	d := dice(w.dice.of(uint64(n), 1))
	l := leagueAt(d.under(leagueWeight, 2))
	home := d.under(l.Teams, 3)
	away := (home + 1 + d.under(l.Teams-1, 4)) % l.Teams
	f := Fixture{
		Number:  n,
		League:  l,
		Home:    w.teams[l.Number][home],
		Away:    w.teams[l.Number][away],
		KickOff: w.slot(n),
		dice:    d,
	}
	f.befall(now)
	if f.Namesake() {
		f.Away.Players = slices.Clone(f.Away.Players)
		f.Away.Players[1] = f.Home.Players[1]
	}
	return f
}

// Namesake reports whether a player of each side bears the same name: the
// second of either squad, on one fixture in thirty.
func (f Fixture) Namesake() bool {
	return len(f.Home.Players) > 1 && len(f.Away.Players) > 1 && f.Lot(30, 25) == 0
}

// befall lets happen to the fixture what its lot holds: about one in forty is
// called off in its last day, one in fifty starts later than announced.
func (f *Fixture) befall(now time.Time) {
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
	if f.Status == NotStarted && !now.Before(f.KickOff) {
		f.Status = InPlay
		if !now.Before(f.KickOff.Add(f.length())) {
			f.Status = Ended
		}
	}
}

// length is how long the match takes, breaks and added time included.
func (f Fixture) length() time.Duration {
	extra := f.League.Minutes * 27 / 90
	return time.Duration(f.League.Minutes+extra) * time.Minute
}

// shown reports whether a list of coming matches holds it. One in three that is
// over stays for some hours, as lists are cleaned up late.
func (f Fixture) shown(now time.Time, ahead bool) bool {
	switch f.Status {
	case NotStarted:
		return true
	case Postponed, Cancelled:
		return ahead || now.Sub(f.KickOff) < 3*time.Hour
	case Withdrawn:
		return ahead
	case Ended:
		return f.Lot(3, 24) == 0 && now.Sub(f.KickOff) < 7*time.Hour
	default:
		return false
	}
}

func sortFixtures(list []Fixture) {
	slices.SortFunc(list, func(a, b Fixture) int {
		return cmp.Or(a.KickOff.Compare(b.KickOff), cmp.Compare(a.Number, b.Number))
	})
}
