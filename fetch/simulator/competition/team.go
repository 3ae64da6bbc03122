package competition

import (
	"strings"

	"mkt/fetch/simulator/random"
)

// Team is a side of a competition.
type Team struct {
	Number   int // stable within the world
	Name     string
	Strength float64 // about -1 to 1 within its league
	Players  []string
}

const teamsApart = 64 // numbers reserved for each league

func Teams(d random.Dice) [][]Team {
	all := make([][]Team, len(competitions))
	for i := range competitions {
		l := league(i)
		for slot := range l.Teams {
			all[i] = append(all[i], team(l, slot, d))
		}
	}
	return all
}

// team returns a league's team number slot, from 0. A form is reused only when all towns
// are used up, so no two teams of a league have one name.
func team(l League, slot int, d random.Dice) Team {
	t := competitions[l.Number].naming
	number := l.Number*teamsApart + slot
	town := t.towns[(slot+l.Number*7)%len(t.towns)]
	form := t.forms[(slot/len(t.towns)+slot+l.Number)%len(t.forms)]
	return Team{
		Number:   number,
		Name:     strings.Replace(form, "%", town, 1) + suffix(l),
		Strength: 2*d.Unit(uint64(number), 11) - 1,
		Players:  players(t, slot),
	}
}

// suffix is appended to the names of the teams of a kind of league.
func suffix(l League) string {
	switch l.Kind {
	case Women:
		return " Women"
	case Reserves:
		return " II"
	case Youth:
		for _, age := range [...]string{" U18", " U20", " U21"} {
			if strings.Contains(l.Name, age) {
				return age
			}
		}
		return " U19"
	default:
		return ""
	}
}

const (
	Squad = 14 // players of a team with markets
	Bench = 5  // substitutes brought on at most
)

// players returns the squad of a team. All teams of a league take from one long list, so
// that two of them hardly ever share a name.
func players(t naming, slot int) []string {
	if len(t.family) == 0 {
		return nil
	}
	names := make([]string, Squad)
	for i := range names {
		names[i] = t.player(slot*Squad + i)
	}
	return names
}

// Reserve names a player beyond the squad, from the part of the list after all squads of
// the league; "" if players have no names.
func (t Team) Reserve(place int) string {
	league, slot := t.Number/teamsApart, t.Number%teamsApart
	if league >= len(competitions) || len(t.Players) == 0 {
		return ""
	}
	return competitions[league].naming.player(teamsApart*Squad + slot*Bench + place - Squad)
}

// RealTeam returns the n-th team of recorded matches, from 0. It has no players.
func RealTeam(n int, name string) Team { return Team{Number: firstReal*teamsApart + n, Name: name} }
