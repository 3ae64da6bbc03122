package play

import (
	"time"

	"mkt/fetch/simulator/competition"
)

// draft returns the halves of a match by its lots; extra time is added when it is
// reached.
func draft(f competition.Fixture) []Period {
	length := time.Duration(f.League.Minutes) * time.Minute / 2
	if f.League.Kind == competition.Esoccer {
		first := period(f, FirstHalf, 0, 0, length, 0, f.Lot(15, 51))
		rest := time.Duration(20+f.Lot(40, 52)) * time.Second
		return []Period{first, period(f, SecondHalf, first.To+rest, length, length, 0, f.Lot(15, 53))}
	}
	first := period(f, FirstHalf, 0, 0, length, 1+f.Lot(4, 54), f.Lot(50, 55))
	rest := time.Duration(14*60+f.Lot(150, 56)) * time.Second
	return []Period{first, period(f, SecondHalf, first.To+rest, length, length, 2+f.Lot(6, 57), f.Lot(80, 58))}
}

// period lasts for its announced minutes and some seconds longer.
func period(f competition.Fixture, p Phase, from, base, length time.Duration, added, longer int) Period {
	extra := time.Duration(added)*time.Minute + time.Duration(longer)*time.Second
	return Period{
		Phase: p, From: from, To: from + length + extra, Base: base, Length: length,
		Added: added, Board: from + length - time.Duration(f.Lot(40, 59, uint64(p)))*time.Second + 15*time.Second,
	}
}

// prolong returns the period of extra time, or the shoot-out, that follows.
func prolong(f competition.Fixture, periods []Period, p Phase) Period {
	last := periods[len(periods)-1]
	rest := time.Duration(180+f.Lot(120, 60, uint64(p))) * time.Second
	if p == ExtraSecond {
		rest = time.Duration(45+f.Lot(60, 61)) * time.Second
	}
	base := last.Base + last.Length
	if p == Shootout {
		shots := time.Duration(240+f.Lot(300, 62)) * time.Second
		return Period{Phase: p, From: last.To + rest, To: last.To + rest + shots, Base: base, Board: last.To + rest + shots}
	}
	return period(f, p, last.To+rest, base, 15*time.Minute, f.Lot(3, 63, uint64(p)), f.Lot(40, 64, uint64(p)))
}

// knockout reports whether a drawn match continues, and whether directly with penalties.
func knockout(f competition.Fixture) (goesOn, straight bool) {
	return f.League.Kind == competition.Cup && f.League.Minutes == 90 && f.Lot(10, 65) < 7, f.Lot(4, 66) == 0
}

// Planned returns when a match ends, and whether it does so without being played: a cup tie may go on
// after its second half.
func Planned(f competition.Fixture) (end time.Duration, known bool) {
	goesOn, _ := knockout(f)
	return draft(f)[1].To, !goesOn
}
