package play

import (
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/random"
)

const (
	eleven  = 11
	matched = eleven + competition.Bench
)

// lineup is a side's players during a match: the first eleven of the squad begin, the
// others come on in order. A team without names has players without names.
type lineup struct {
	team    competition.Team
	pitch   []int // indexes of the squad
	used    int   // substitutes brought on
	booked  [matched]bool
	sentOff int
}

func newLineup(t competition.Team) lineup {
	l := lineup{team: t, pitch: make([]int, eleven)}
	for i := range l.pitch {
		l.pitch[i] = i
	}
	return l
}

// Starter returns a random player of the eleven that begin for a team.
func Starter(t competition.Team, r *random.Stream) string {
	l := newLineup(t)
	return l.anyone(r)
}

// name is "" if the team has no names, or fewer.
func (l *lineup) name(i int) string {
	if i < len(l.team.Players) {
		return l.team.Players[i]
	}
	return l.team.Reserve(i)
}

// someone is the squad index of a random player on the pitch.
func (l *lineup) someone(r *random.Stream) int { return l.pitch[r.Under(len(l.pitch))] }

func (l *lineup) anyone(r *random.Stream) string { return l.name(l.someone(r)) }

func (l *lineup) leave(player int) {
	for i, p := range l.pitch {
		if p == player {
			l.pitch = append(l.pitch[:i], l.pitch[i+1:]...)
			return
		}
	}
}

// substitute replaces a player; ok is false if none may come on.
func (l *lineup) substitute(r *random.Stream) (on, off string, ok bool) {
	if l.used == competition.Bench {
		return "", "", false
	}
	at := r.Under(len(l.pitch))
	out := l.pitch[at]
	l.pitch[at] = eleven + l.used
	l.used++
	return l.name(l.pitch[at]), l.name(out), true
}
