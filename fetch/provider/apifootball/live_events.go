package apifootball

import (
	"fmt"
	"strings"

	"mkt/fetch/input"
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// maxEvents bounds how many events of one fixture are read.
const maxEvents = 400

// shootout is the comment on the kicks of a shoot-out, which are not events of the match.
const shootout = "Penalty Shootout"

// incidentKinds are the events that are incidents, by type and detail; "" stands for any
// detail. It is not known which team the event of an own goal names.
//
// Source: provider notes, section 5.
var incidentKinds = map[[2]string]input.IncidentKind{
	{"goal", "Normal Goal"}:    input.IncidentGoal,
	{"goal", "Own Goal"}:       input.IncidentGoal,
	{"goal", "Penalty"}:        input.IncidentGoal,
	{"goal", "Missed Penalty"}: input.IncidentPenalty,
	{"card", "Yellow Card"}:    input.IncidentYellowCard,
	{"card", "Red Card"}:       input.IncidentRedCard,
	{"subst", ""}:              input.IncidentSubstitution,
}

const ownGoal = "Own Goal"

// events reads the events of one item; missing if it has no such member. Events have no
// ids: an id is made of the event's content, and of its number among equal ones.
func (r *liveReader) events(item strictjson.Value, i *decode.Item) football.Field[[]input.Incident] {
	list, once := item.Once("events")
	switch {
	case list.Kind() == strictjson.Absent:
		return football.Field[[]input.Incident]{}
	case !once, list.Kind() != strictjson.Array:
		if !once || !decode.IsEmpty(list) {
			r.Damaged.Add(itemEvents)
		}
		return football.NullField[[]input.Incident]()
	}
	incidents := []input.Incident{}
	times := make(map[string]int)
	read := 0
	for v := range list.Items() {
		if read++; read > maxEvents {
			r.Unknown.Add("events beyond the limit")
			break
		}
		incident, is := r.event(v, i)
		if !is {
			continue
		}
		times[incident.ID]++
		incident.ID = fmt.Sprintf("%s#%d", incident.ID, times[incident.ID])
		r.Report(provider.FieldIncident, incident.ID, v)
		incidents = append(incidents, incident)
	}
	return football.Of(incidents)
}

// event reads one event; is reports whether it is an incident of the match. Its ID is made
// of its content.
func (r *liveReader) event(v strictjson.Value, i *decode.Item) (incident input.Incident, is bool) {
	when := v.Get("time")
	minute, ok := decode.Whole(when.Get("elapsed"), maxMinute)
	if !ok || v.Repeats() || v.Get("type").Kind() != strictjson.String {
		r.Damaged.Add(itemEvent)
		return incident, false
	}
	if strings.EqualFold(v.Get("comments").Text(), shootout) {
		return incident, false
	}
	kind, detail := strings.ToLower(v.Get("type").Text()), decode.Field(v.Get("detail")).Or("")
	if incident.Kind, is = incidentKinds[[2]string{kind, detail}]; !is {
		incident.Kind, is = incidentKinds[[2]string{kind, ""}]
	}
	if !is {
		if kind != "var" {
			r.Unknown.Add("event " + kind + " " + detail)
		}
		return incident, false
	}
	incident.Minute = max(minute, 1)
	incident.Added, _ = decode.Whole(when.Get("extra"), maxMinute)
	incident.Side = football.SideNone
	if side, known := sideOf(v, i); known && detail != ownGoal {
		incident.Side = football.Sides()[side]
	}
	player, assist := person(v.Get("player")), person(v.Get("assist"))
	what := detail
	if incident.Kind == input.IncidentSubstitution {
		what = "" // "Substitution 3" has a number, which changes if an earlier one is corrected
	}
	incident.ID = fmt.Sprintf("%d+%d/%s/%s/%s/%s", incident.Minute, incident.Added, identifier(v.Get("team").Get("id")), kind, what, player.id)
	incident.Text = wordsOf(detail, player.name, assist.name)
	return incident, true
}

// person is a player as an event names one.
func person(v strictjson.Value) (p struct{ id, name string }) {
	p.name = decode.Field(v.Get("name")).Or("")
	if p.id = identifier(v.Get("id")); p.id == "" {
		p.id = p.name // an id may be null
	}
	return p
}

// wordsOf returns the provider's words about an event: "Normal Goal: F. Dimarco, N. Barella".
func wordsOf(detail string, names ...string) string {
	var known []string
	for _, name := range names {
		if name != "" {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return detail
	}
	return detail + ": " + strings.Join(known, ", ")
}
