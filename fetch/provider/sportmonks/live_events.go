package sportmonks

import (
	"strconv"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

const (
	maxMinute = 200
	maxEvents = 600 // of one fixture
)

// liveReader reads the items of live payloads.
type liveReader struct{ *decode.Live }

// list returns a member that must be a list, in its three states: absent, null and present.
func (r *liveReader) list(item strictjson.Value, key, damage string) (v strictjson.Value, state football.State) {
	v, once := item.Once(key)
	switch {
	case v.Kind() == strictjson.Absent:
		return v, football.Missing
	case once && v.Kind() == strictjson.Array:
		return v, football.Present
	case !once || v.Kind() != strictjson.Null:
		r.Damaged.Add(damage)
	}
	return v, football.Null
}

// Events, type_id.
const (
	eventVAR        = "10"
	eventOwnGoal    = "15"
	eventPenMissed  = "22" // in a shoot-out
	eventPenScored  = "23" // in a shoot-out
	eventCardByVAR  = "1697"
	eventMissedPlay = "17" // a penalty in play
)

// incidentKinds are the kinds of incidents. A goal by penalty is a goal,
// and a second yellow card is a red card.
var incidentKinds = map[string]input.IncidentKind{
	"14": input.IncidentGoal, eventOwnGoal: input.IncidentGoal, "16": input.IncidentGoal, eventMissedPlay: input.IncidentPenalty,
	"18": input.IncidentSubstitution, "19": input.IncidentYellowCard, "20": input.IncidentRedCard, "21": input.IncidentRedCard,
}

// noIncidents are known events of other kinds. A kick in a shoot-out has its
// number in place of a minute.
var noIncidents = decode.Set(eventVAR, eventPenMissed, eventPenScored, eventCardByVAR)

// events reads the events of one item; missing if it has no such member. Events that the
// provider took back are left out.
func (r *liveReader) events(item strictjson.Value, teams *item) football.Field[[]input.Incident] {
	rows, state := r.list(item, "events", itemEvents)
	switch state {
	case football.Missing:
		return football.Field[[]input.Incident]{}
	case football.Null:
		return football.NullField[[]input.Incident]()
	}
	incidents := []input.Incident{}
	read := 0
	results := resultsOf(rows)
	for row := range rows.Items() {
		if read++; read > maxEvents {
			r.Unknown.Add("events beyond the limit")
			break
		}
		id, kind := decode.ID(row.Get("id")), decode.ID(row.Get("type_id"))
		if id == "" || kind == "" || row.Repeats() {
			r.Damaged.Add(itemEvent)
			continue
		}
		if noIncidents[kind] || row.Get("rescinded").Kind() == strictjson.True {
			continue
		}
		what, known := incidentKinds[kind]
		if !known {
			r.Unknown.Add("events." + kind)
			continue
		}
		minute, ok := decode.Whole(row.Get("minute"), maxMinute)
		if !ok {
			r.Damaged.Add(itemEvent)
			continue
		}
		added, _ := decode.Whole(row.Get("extra_minute"), 60)
		i := input.Incident{ID: id, Kind: what, Minute: max(minute, 1), Added: added, Side: teams.side(row), Text: wordsOf(row)}
		if kind == eventOwnGoal { // it is not known which team the event names
			i.Side = sideByResult(row, results)
		}
		r.Report(provider.FieldIncident, id, row)
		incidents = append(incidents, i)
	}
	return football.Of(incidents)
}

// side returns the side of the team that an event names.
func (i *item) side(row strictjson.Value) football.Side {
	switch id := decode.ID(row.Get("participant_id")); {
	case id == "" || i.HomeID == i.AwayID:
	case id == i.HomeID:
		return football.SideHome
	case id == i.AwayID:
		return football.SideAway
	}
	return football.SideNone
}

// wordsOf returns the provider's words about the players and the details of an event.
func wordsOf(row strictjson.Value) string {
	text := func(key string) string {
		if v := row.Get(key); v.Kind() == strictjson.String {
			return strings.TrimSpace(v.Text())
		}
		return ""
	}
	words := text("player_name")
	if related := text("related_player_name"); related != "" {
		words += " (" + related + ")"
	}
	if info := text("info"); info != "" {
		words += ", " + info
	}
	return strings.TrimPrefix(strings.TrimSpace(words), ", ")
}

// resultsOf returns the scores after each of the goals.
func resultsOf(rows strictjson.Value) map[[2]int]bool {
	all := map[[2]int]bool{{0, 0}: true}
	for row := range rows.Items() {
		kind := decode.ID(row.Get("type_id"))
		if incidentKinds[kind] != input.IncidentGoal || row.Get("rescinded").Kind() == strictjson.True {
			continue
		}
		if score, ok := resultOf(row); ok {
			all[score] = true
		}
	}
	return all
}

func resultOf(row strictjson.Value) (score [2]int, ok bool) {
	home, away, found := strings.Cut(row.Get("result").Text(), "-")
	h, err1 := strconv.Atoi(home)
	a, err2 := strconv.Atoi(away)
	return [2]int{h, a}, found && err1 == nil && err2 == nil && h >= 0 && a >= 0
}

// sideByResult returns the side for which a goal counts: the one with one goal more
// than in an earlier score. It is not known if both have.
func sideByResult(row strictjson.Value, results map[[2]int]bool) football.Side {
	score, ok := resultOf(row)
	if !ok {
		return football.SideNone
	}
	byHome, byAway := results[[2]int{score[0] - 1, score[1]}], results[[2]int{score[0], score[1] - 1}]
	switch {
	case byHome && !byAway:
		return football.SideHome
	case byAway && !byHome:
		return football.SideAway
	}
	return football.SideNone
}
