package betsapi

import (
	"regexp"
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/answer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// maxEvents bounds how many lines of one fixture are read.
const maxEvents = 600

// Lines of events[]: a minute, an ordinal that counts both teams, what happened.
//
// Source: provider notes, section 8.3 (recorded 2017 to 2020).
var (
	lineMinute  = regexp.MustCompile(`^(\d{1,3})(?:\+(\d{1,2}))?'\s*-\s*(.*)$`)
	lineOrdinal = regexp.MustCompile(`^\d{1,3}(?:st|nd|rd|th)\s+`)
	lineDerived = regexp.MustCompile(`^(?:Race to \d|Score After |\d+[:-]\d+)`)
)

// incidentKinds are the words behind minute and ordinal. Penalties have not been seen:
// a goal by penalty is a goal.
var incidentKinds = map[string]input.IncidentKind{
	"Corner": input.IncidentCorner, "Goal": input.IncidentGoal, "Yellow Card": input.IncidentYellowCard,
	"Red Card": input.IncidentRedCard, "Substitution": input.IncidentSubstitution,
}

// events reads the lines of one item; missing if there are none. Summaries and
// races are derived by the provider and left out, unknown lines are counted.
func (r *liveReader) events(item strictjson.Value) football.Field[[]input.Incident] {
	lines, once := item.Once("events")
	switch {
	case lines.Kind() == strictjson.Absent:
		return football.Field[[]input.Incident]{}
	case !once, lines.Kind() != strictjson.Array:
		if !answer.IsEmpty(lines) {
			r.Damaged.Add(itemEvents)
		}
		return football.NullField[[]input.Incident]()
	}
	teams := teamsOf(item)
	incidents := []input.Incident{}
	read := 0
	for line := range lines.Items() {
		if read++; read > maxEvents {
			r.Unknown.Add("events beyond the limit")
			break
		}
		id, text := answer.ID(line.Get("id")), line.Get("text")
		if id == "" || text.Kind() != strictjson.String || line.Repeats() {
			r.Damaged.Add(itemEvent)
			continue
		}
		if i, ok := r.line(text.Text(), &teams); ok {
			i.ID = id
			r.Report(provider.FieldIncident, id, text)
			incidents = append(incidents, i)
		}
	}
	return football.Of(incidents)
}

// teamNames are the names of each side: now, and before the provider merged the
// team into another.
type teamNames [2][]string

func teamsOf(item strictjson.Value) teamNames {
	names := func(keys ...string) (known []string) {
		for _, k := range keys {
			if name, ok := nameIn(item.Get(k)).Get(); ok {
				known = append(known, strings.TrimSpace(name))
			}
		}
		return known
	}
	return teamNames{names("home", "o_home"), names("away", "o_away")}
}

// line reads one line; ok is false if it is about no incident.
func (r *liveReader) line(text string, teams *teamNames) (i input.Incident, ok bool) {
	text = strings.TrimSpace(text)
	parts := lineMinute.FindStringSubmatch(text)
	if parts == nil {
		if !lineDerived.MatchString(text) {
			r.Unknown.Add("event line without a minute")
		}
		return i, false
	}
	what := parts[3]
	if lineDerived.MatchString(what) {
		return i, false
	}
	what = lineOrdinal.ReplaceAllString(what, "")
	kind, rest, _ := strings.Cut(what, " - ")
	kind = strings.TrimSpace(strings.TrimSuffix(kind, " -"))
	if i.Kind, ok = incidentKinds[kind]; !ok {
		r.Unknown.Add("event line " + kind)
		return i, false
	}
	i.Minute, _ = strconv.Atoi(parts[1])
	i.Minute = max(i.Minute, 1)
	i.Added, _ = strconv.Atoi(parts[2])
	i.Side, i.Text = teams.side(rest)
	return i, true
}

// side finds the team of a line: the text itself, or a name in brackets. The rest of
// the text says who and how.
func (t *teamNames) side(text string) (football.Side, string) {
	found, left := football.SideNone, text
	for n, names := range t {
		for _, name := range names {
			without, named := cutName(text, name)
			if !named {
				continue
			}
			side := football.Sides()[n]
			if found != football.SideNone && found != side {
				return football.SideNone, tidy(text)
			}
			found, left = side, without
		}
	}
	return found, tidy(left)
}

// cutName takes a team's name off a text that is the name or holds it in
// brackets.
func cutName(text, name string) (without string, named bool) {
	if strings.TrimSpace(text) == name {
		return "", true
	}
	before, after, named := strings.Cut(text, "("+name+")")
	return before + after, named
}

// tidy removes double blanks and dashes at the ends.
func tidy(s string) string {
	return strings.TrimSpace(strings.Trim(strings.Join(strings.Fields(s), " "), "- "))
}
