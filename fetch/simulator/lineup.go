package simulator

const (
	eleven  = 11
	matched = eleven + bench
)

// lineup is a side's players during a match: the first eleven of the squad begin, the
// others come on in order. A team without names has players without names.
type lineup struct {
	team    Team
	pitch   []int // indexes of the squad
	used    int   // substitutes brought on
	booked  [matched]bool
	sentOff int
}

func newLineup(t Team) lineup {
	l := lineup{team: t, pitch: make([]int, eleven)}
	for i := range l.pitch {
		l.pitch[i] = i
	}
	return l
}

// starter returns a random player of the eleven that begin for a team.
func starter(t Team, r *stream) string {
	l := newLineup(t)
	return l.anyone(r)
}

// name is "" if the team has no names, or fewer.
func (l *lineup) name(i int) string {
	if i < len(l.team.Players) {
		return l.team.Players[i]
	}
	return l.team.reserve(i)
}

// someone is the squad index of a random player on the pitch.
func (l *lineup) someone(r *stream) int { return l.pitch[r.under(len(l.pitch))] }

func (l *lineup) anyone(r *stream) string { return l.name(l.someone(r)) }

func (l *lineup) leave(player int) {
	for i, p := range l.pitch {
		if p == player {
			l.pitch = append(l.pitch[:i], l.pitch[i+1:]...)
			return
		}
	}
}

// substitute replaces a player; ok is false if none may come on.
func (l *lineup) substitute(r *stream) (on, off string, ok bool) {
	if l.used == bench {
		return "", "", false
	}
	at := r.under(len(l.pitch))
	out := l.pitch[at]
	l.pitch[at] = eleven + l.used
	l.used++
	return l.name(l.pitch[at]), l.name(out), true
}
