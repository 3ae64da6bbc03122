package play

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"mkt/fetch/simulator/competition"
)

// Matches are real matches as counter increments, read from a folder and replayed by a
// world. They do not change.
type Matches struct {
	all []RealMatch
}

// Len is the number of matches.
func (m *Matches) Len() int { return len(m.all) }

// At returns a match by its place in an endless repetition of them all, from 0.
func (m *Matches) At(place int64) *RealMatch { return &m.all[place%int64(len(m.all))] }

// RealMatch is a recorded match.
type RealMatch struct {
	League competition.League
	Home   competition.Team
	Away   competition.Team
	Script
}

// recordedKinds are the known values of the column kind; rows with others are ignored.
var recordedKinds = map[string]Metric{"attack": Attacks, "dangerous_attack": DangerousAttacks, "on_target": OnTarget, "off_target": OffTarget,
	"corner": Corners, "goal": Goals, "yellow": YellowCards, "red": RedCards, "penalty": Penalties, "possession": Possession}

var recordedIncidents = map[Metric]IncidentKind{Corners: Corner, Goals: Goal, YellowCards: YellowCard, RedCards: RedCard, Penalties: Penalty}

// ReadMatches reads a folder with matches.csv.gz, a line a match, and the files
// of increments that it names. An error names the file and the line.
//
//	match_id,competition,home,away,end_1H,end_2H,end_E1,end_E2,file
//	match_id,period,second,side,kind,value
//
// Other columns are ignored; columns may be in any order.
func ReadMatches(dir string) (*Matches, error) {
	r := &matchReader{matches: new(Matches), index: make(map[string]int), leagues: make(map[string]competition.League), teams: make(map[string]competition.Team)}
	files := make(map[string]bool)
	err := each(dir, "matches.csv.gz", []string{"match_id", "competition", "home", "away", "end_1H", "end_2H", "end_E1", "end_E2", "file"}, func(row []string) error {
		files[row[8]] = true
		return r.match(row)
	})
	if err != nil {
		return nil, err
	}
	if len(r.matches.all) == 0 {
		return nil, fmt.Errorf("matches %s: no match", dir)
	}
	for file := range files {
		if file != filepath.Base(file) {
			return nil, fmt.Errorf("matches %s: file %q is not in the folder", dir, file)
		}
		if err := each(dir, file, []string{"match_id", "period", "second", "side", "kind", "value"}, r.increment); err != nil {
			return nil, err
		}
	}
	for i := range r.matches.all {
		r.matches.all[i].close()
	}
	return r.matches, nil
}

type matchReader struct {
	matches *Matches
	index   map[string]int
	leagues map[string]competition.League
	teams   map[string]competition.Team
}

func (r *matchReader) match(row []string) error {
	if _, twice := r.index[row[0]]; twice || row[0] == "" {
		return fmt.Errorf("match %q is empty or there twice", row[0])
	}
	m := RealMatch{League: r.league(row[1]), Home: r.team(row[2]), Away: r.team(row[3]), Script: Script{ID: row[0]}}
	for i, phase := range []Phase{FirstHalf, SecondHalf, ExtraFirst, ExtraSecond} {
		if row[4+i] == "" {
			break
		}
		end, err := seconds(row[4+i])
		if err != nil {
			return err
		}
		m.Periods = append(m.Periods, recordedPeriod(m.Periods, phase, end))
	}
	if len(m.Periods) < 2 {
		return errors.New("a half has no end")
	}
	r.index[m.ID] = len(r.matches.all)
	r.matches.all = append(r.matches.all, m)
	return nil
}

// recordedPeriod returns a period that ends at the first whole second after its last
// event. Half-time is a quarter of an hour.
func recordedPeriod(before []Period, phase Phase, end time.Duration) Period {
	p := Period{Phase: phase, Length: 45 * time.Minute}
	if phase >= ExtraFirst {
		p.Length = 15 * time.Minute
	}
	if n := len(before); n > 0 {
		last := before[n-1]
		p.From = last.To + [...]time.Duration{SecondHalf: 15 * time.Minute, ExtraFirst: 5 * time.Minute, ExtraSecond: time.Minute}[phase]
		p.Base = last.Base + last.Length
	}
	p.To = p.From + (end + time.Second - 1).Truncate(time.Second)
	p.Board = p.From + p.Length
	p.Added = int((max(end-p.Length, 0) + time.Minute - 1) / time.Minute)
	return p
}

func (r *matchReader) league(name string) competition.League {
	l, ok := r.leagues[name]
	if !ok {
		l = competition.RealLeague(len(r.leagues), name)
		r.leagues[name] = l
	}
	return l
}

func (r *matchReader) team(name string) competition.Team {
	t, ok := r.teams[name]
	if !ok {
		t = competition.RealTeam(len(r.teams), name)
		r.teams[name] = t
	}
	return t
}

func (r *matchReader) increment(row []string) error {
	i, ok := r.index[row[0]]
	if !ok {
		return fmt.Errorf("match %q is not listed", row[0])
	}
	m := &r.matches.all[i]
	metric, ok := recordedKinds[row[4]]
	if !ok {
		return nil
	}
	at, err := m.moment(row[1], row[2])
	if err != nil {
		return err
	}
	side := Home
	switch row[3] {
	case "home":
	case "away":
		side = Away
	default:
		return fmt.Errorf("side %q", row[3])
	}
	value, err := strconv.ParseFloat(row[5], 64)
	if err != nil || !(value >= 0 && value < 1000) {
		return fmt.Errorf("value %q", row[5])
	}
	if metric == Possession {
		value *= 10
	}
	m.count(at, metric, side, int(math.Round(value)))
	if kind, ok := recordedIncidents[metric]; ok {
		m.Incidents = append(m.Incidents, Incident{At: at, Kind: kind, Side: side})
	}
	return nil
}

// moment converts a second of a period to the time since the kick-off whistle.
func (m *RealMatch) moment(period, second string) (time.Duration, error) {
	at, err := seconds(second)
	if err != nil {
		return 0, err
	}
	for i, name := range []string{"1H", "2H", "E1", "E2"} {
		if name == period && i < len(m.Periods) {
			return m.Periods[i].From + at, nil
		}
	}
	return 0, fmt.Errorf("period %q", period)
}
