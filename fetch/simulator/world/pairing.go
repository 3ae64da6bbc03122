package world

import (
	"slices"
	"time"

	"mkt/fetch/simulator/cache"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/random"
)

// apart is how far apart the scheduled kick-offs of two matches of one team are at least: a cup
// tie with penalties, after the longest delay. Matches on a console are over sooner.
const (
	apart         = maxPostponed + 3*time.Hour
	apartConsoles = time.Hour
)

// pairing has the places of the two teams in their league.
type pairing struct{ home, away int }

// pairings draws the teams of the fixtures of a world.
type pairings struct {
	dice      random.Dice
	teams     [][]competition.Team // by league
	calendars []calendar
	paired    *cache.Cache[int64, map[int64]pairing] // by day since the epoch
}

func newPairings(d random.Dice, all []calendar) *pairings {
	kept := 10 // days: those announced, and some before
	return &pairings{dice: d, teams: competition.Teams(d), calendars: all, paired: cache.New[int64](kept, func(map[int64]pairing) int { return 1 })}
}

// sides returns the teams of an entry of a calendar. A team plays one match at a time, unless a
// world has more matches in play than a league has teams for.
func (p *pairings) sides(c *calendar, entry int64, l competition.League) (home, away competition.Team) {
	day := int64(c.slot(entry).Sub(competition.Epoch) / (24 * time.Hour))
	s := p.paired.Get(day, func() map[int64]pairing { return p.pair(day) })[Number(c.place, entry)]
	return p.teams[l.Number][s.home], p.teams[l.Number][s.away]
}

// pair draws the teams of all entries of a day in the order of their slots. It begins a day
// earlier, so late matches of the evening before are known.
func (p *pairings) pair(day int64) map[int64]pairing {
	type drawn struct {
		number int64
		slot   time.Time
		pool   *competition.Pool
	}
	var all []drawn
	begin := competition.Epoch.Add(time.Duration(day) * 24 * time.Hour)
	for i := range p.calendars {
		c := &p.calendars[i]
		for n := max(int64(begin.Add(-24*time.Hour).Sub(competition.Epoch)/c.step), 0); c.slot(n).Before(begin.Add(24 * time.Hour)); n++ {
			all = append(all, drawn{Number(c.place, n), c.slot(n), &c.pool})
		}
	}
	slices.SortStableFunc(all, func(a, b drawn) int { return a.slot.Compare(b.slot) })
	last := map[string]time.Time{} // by the name of a team, which leagues may share: the slot of its last match
	today := make(map[int64]pairing, len(all)/2)
	for _, of := range all {
		d := random.Dice(p.dice.Of(uint64(of.number), 1))
		l := of.pool.At(d.Under(of.pool.Sum, 2))
		gap := apart
		if l.Minutes < 45 {
			gap = apartConsoles
		}
		free := func(slot int) bool {
			at, played := last[p.teams[l.Number][slot].Name]
			return !played || of.slot.Sub(at) >= gap
		}
		s := pairing{home: d.Under(l.Teams, 3)}
		s.away = (s.home + 1 + d.Under(l.Teams-1, 4)) % l.Teams
		if !free(s.home) || !free(s.away) {
			s = drawFree(l, s, free)
		}
		last[p.teams[l.Number][s.home].Name], last[p.teams[l.Number][s.away].Name] = of.slot, of.slot
		if !of.slot.Before(begin) {
			today[of.number] = s
		}
	}
	return today
}

// drawFree returns the first two teams that are free, counted from those drawn; those drawn if
// fewer are.
func drawFree(l competition.League, from pairing, free func(int) bool) pairing {
	next := func(slot, taken int) int {
		for i := range l.Teams {
			if at := (slot + i) % l.Teams; at != taken && free(at) {
				return at
			}
		}
		return -1
	}
	home := next(from.home, -1)
	if away := next(from.away, home); home >= 0 && away >= 0 {
		return pairing{home, away}
	}
	return from
}
