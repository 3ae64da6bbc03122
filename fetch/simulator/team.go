package simulator

import "strings"

// Team is a side of a competition.
type Team struct {
	Number   int // stable within the world
	Name     string
	Strength float64 // about -1 to 1 within its league
	Players  []string
}

// tongue is how a region's clubs and players are named.
type tongue struct {
	towns  []string
	forms  []string // "%" stands for the town
	given  []string
	family []string
}

const teamsApart = 64 // numbers kept for one league

// teams names every side of every league once: a world looks them up.
func teams(d dice) [][]Team {
	all := make([][]Team, len(competitions))
	for i := range competitions {
		l := league(i)
		for slot := range l.Teams {
			all[i] = append(all[i], team(l, slot, d))
		}
	}
	return all
}

// team returns side number slot of a league, from 0. Towns are used up before a
// form comes round again, so that a league has no two teams of one name.
func team(l League, slot int, d dice) Team {
	t := competitions[l.Number].tongue
	number := l.Number*teamsApart + slot
	town := t.towns[(slot+l.Number*7)%len(t.towns)]
	form := t.forms[(slot/len(t.towns)+slot+l.Number)%len(t.forms)]
	return Team{
		Number:   number,
		Name:     strings.Replace(form, "%", town, 1) + suffix(l),
		Strength: 2*d.unit(uint64(number), 11) - 1,
		Players:  players(t, slot),
	}
}

// suffix is what a league's kind adds to the names of its teams.
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

const squad = 14 // players with markets, a team

// players names the squad of a league's side. All sides of a league share one
// long list of names, so that two of them hardly ever have one in common.
func players(t tongue, slot int) []string {
	if len(t.family) == 0 {
		return nil
	}
	names := make([]string, squad)
	for i := range names {
		names[i] = t.player(slot*squad + i)
	}
	return names
}

// player is one name of the long list.
func (t tongue) player(n int) string {
	family := n % len(t.family)
	given := (n / len(t.family)) % len(t.given)
	name := t.given[given] + " " + t.family[family]
	if round := n / len(t.family) / len(t.given); round > 0 { // the list begins again
		name += " " + t.family[(family+round)%len(t.family)]
	}
	return name
}

// reserve names a player beyond the squad, from behind the list that the
// squads of the league share; "" where players have no names.
func (t Team) reserve(place int) string {
	league, slot := t.Number/teamsApart, t.Number%teamsApart
	if league >= len(competitions) || len(t.Players) == 0 {
		return ""
	}
	return competitions[league].tongue.player(teamsApart*squad + slot*bench + place - squad)
}
