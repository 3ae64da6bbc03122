package world

import (
	"cmp"
	"slices"
	"time"

	"mkt/fetch/simulator/bookmaker"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
)

// reach is how far back fixtures may still matter: late kick-offs, matches just over.
const reach = 8 * time.Hour

// Fixtures returns a bookmaker's list of coming matches at a moment, by kick-off and then
// number: as many fixtures still to start as the world's size, those announced late, and
// a few postponed, cancelled, withdrawn and finished ones that are still shown.
func (w *World) Fixtures(now time.Time) []competition.Fixture {
	var list []competition.Fixture
	for n, ahead := range w.numbers(now, reach) {
		if f := w.fixture(n, now); shown(f, now, ahead) {
			list = append(list, f)
		}
	}
	sortFixtures(list)
	return list
}

// Football returns the fixtures of Known that people play. It is the list of a provider
// without eSoccer.
func (w *World) Football(now time.Time) []competition.Fixture {
	return slices.DeleteFunc(w.Known(now), func(f competition.Fixture) bool { return !f.League.Human() })
}

// Known returns the fixtures of Fixtures and those in play, each once, by kick-off.
func (w *World) Known(now time.Time) []competition.Fixture {
	all := w.Fixtures(now)
	for _, m := range w.Live(now) {
		all = append(all, m.Fixture)
	}
	sortFixtures(all)
	return slices.CompactFunc(all, func(a, b competition.Fixture) bool { return a.Number == b.Number })
}

// Fixture returns a fixture by number, and whether it is known at that moment: announced,
// and over for no longer than a day.
func (w *World) Fixture(number int64, now time.Time) (competition.Fixture, bool) {
	place, entry := PlaceOf(number)
	if place == pitches {
		if !w.pitches.known(entry, now) {
			return competition.Fixture{}, false
		}
		f := w.fixture(number, now)
		return f, now.Sub(f.KickOff) < 24*time.Hour
	}
	for i := range w.calendars {
		if c := &w.calendars[i]; c.place == place && entry >= 0 && entry < c.next(now)+c.ahead {
			f := w.fixture(number, now)
			return f, now.Sub(f.KickOff) < 24*time.Hour
		}
	}
	return competition.Fixture{}, false
}

// Live returns the in-play list at a moment, by kick-off and then number: matches about
// to begin, in play, and just over. During a freeze it returns the list as it was at its
// beginning.
func (w *World) Live(now time.Time) []feed.Match {
	now = w.feed.Time(now)
	var all []feed.Match
	for n := range w.numbers(now, liveReach) {
		f := w.fixture(n, now)
		if f.Status == competition.Postponed || f.Status == competition.Cancelled || f.Status == competition.Withdrawn || now.Before(feed.Opens(f)) || now.After(f.KickOff.Add(liveReach)) {
			continue
		}
		if m := w.Match(f); now.Before(m.Leaves) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b feed.Match) int {
		return cmp.Or(a.Fixture.KickOff.Compare(b.Fixture.KickOff), cmp.Compare(a.Fixture.Number, b.Fixture.Number))
	})
	return all
}

// Offering returns the offering on the fixture with a number. It returns false for an
// unknown fixture, and for the one fixture in seventy that is listed without any
// markets. Prices stop moving at kick-off.
func (w *World) Offering(number int64, now time.Time) (*bookmaker.Offering, bool) {
	f, ok := w.Fixture(number, now.Truncate(time.Minute))
	if !ok {
		return nil, false
	}
	return bookmaker.NewOffering(f, now)
}

// shown reports whether a list of coming matches includes the fixture. One ended fixture
// in three stays for some hours, as real lists are cleaned up late.
func shown(f competition.Fixture, now time.Time, ahead bool) bool {
	switch f.Status {
	case competition.NotStarted:
		return true
	case competition.Postponed, competition.Cancelled:
		return ahead || now.Sub(f.KickOff) < 3*time.Hour
	case competition.Withdrawn:
		return ahead
	case competition.Ended:
		stays := 7 * time.Hour
		if f.Number < 0 { // announced late, removed early
			stays = 2 * time.Hour
		}
		return f.Lot(3, 24) == 0 && now.Sub(f.KickOff) < stays
	default:
		return false
	}
}

func sortFixtures(list []competition.Fixture) {
	slices.SortFunc(list, func(a, b competition.Fixture) int {
		return cmp.Or(a.KickOff.Compare(b.KickOff), cmp.Compare(a.Number, b.Number))
	})
}
