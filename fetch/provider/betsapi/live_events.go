package betsapi

import (
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// maxEvents bounds how many lines of one fixture are read.
const maxEvents = 600

// eventLine is a line of events[]: "45+2' - 3rd Corner - Arsenal", a minute, an ordinal
// over both teams, the event.
//
// Source: provider notes, section 8.3 (recorded 2017 to 2020).
type eventLine struct {
	minute, added int
	what          string // with the ordinal
}

// parseLine returns false for a line without a minute.
func parseLine(text string) (l eventLine, ok bool) {
	minute, rest := digits(text, 3)
	added := ""
	if after, found := strings.CutPrefix(rest, "+"); found {
		if added, rest = digits(after, 2); added == "" {
			return l, false
		}
	}
	rest, quoted := strings.CutPrefix(rest, "'")
	rest, dashed := strings.CutPrefix(strings.TrimLeft(rest, blanks), "-")
	if minute == "" || !quoted || !dashed {
		return l, false
	}
	l.minute, _ = strconv.Atoi(minute)
	l.added, _ = strconv.Atoi(added)
	l.what = strings.TrimLeft(rest, blanks)
	return l, !strings.Contains(l.what, "\n")
}

const blanks = " \t\n\f\r"

// digits cuts up to most digits off the beginning of a text.
func digits(text string, most int) (number, rest string) {
	n := 0
	for n < min(most, len(text)) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return text[:n], text[n:]
}

// withoutOrdinal cuts "3rd " off the beginning.
func withoutOrdinal(what string) string {
	number, rest := digits(what, 3)
	if number == "" || len(rest) < 3 {
		return what
	}
	switch after := rest[2:]; rest[:2] {
	case "st", "nd", "rd", "th":
		if trimmed := strings.TrimLeft(after, blanks); trimmed != after {
			return trimmed
		}
	}
	return what
}

// isDerived reports whether a text is a summary or a race, which the provider derives.
func isDerived(what string) bool {
	if goals, found := strings.CutPrefix(what, "Race to "); found {
		number, _ := digits(goals, 1)
		return number != ""
	}
	if strings.HasPrefix(what, "Score After ") {
		return true
	}
	home, rest := digits(what, len(what))
	if home == "" || rest == "" || rest[0] != ':' && rest[0] != '-' {
		return false
	}
	away, _ := digits(rest[1:], 1)
	return away != ""
}

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
		if !decode.IsEmpty(lines) {
			r.Damaged.Add(itemEvents)
		}
		return football.NullField[[]input.Incident]()
	}
	teams := teamsOf(item)
	incidents := make([]input.Incident, 0, min(lines.Len(), maxEvents))
	read := 0
	for line := range lines.Items() {
		if read++; read > maxEvents {
			r.Unknown.Add("events beyond the limit")
			break
		}
		id, text := decode.ID(line.Get("id")), line.Get("text")
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
	parts, ok := parseLine(text)
	if !ok {
		if !isDerived(text) {
			r.Unknown.Add("event line without a minute")
		}
		return i, false
	}
	if isDerived(parts.what) {
		return i, false
	}
	kind, rest, _ := strings.Cut(withoutOrdinal(parts.what), " - ")
	kind = strings.TrimSpace(strings.TrimSuffix(kind, " -"))
	if i.Kind, ok = incidentKinds[kind]; !ok {
		r.Unknown.Add("event line " + kind)
		return i, false
	}
	i.Minute, i.Added = max(parts.minute, 1), parts.added
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
