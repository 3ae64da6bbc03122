package timeline

import (
	"fmt"
	"hash/fnv"

	"mkt/fetch/input"
	"mkt/publish/football"
)

type incident struct {
	mark   uint32 // hash of its id, never 0
	what   uint32 // hash of what it says, to notice that the provider changed it
	missed bool   // the newest list does not hold it; if the next one lacks it too, it is withdrawn
}

func hashOf(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return max(1, h.Sum32())
}

func incidentOf(i *input.Incident) incident {
	return incident{mark: hashOf(i.ID), what: hashOf(fmt.Sprint(i.Kind, i.Minute, i.Added, i.Side))}
}

func stateOf(k input.IncidentKind) (football.VisualState, bool) {
	switch k {
	case input.IncidentGoal:
		return football.VisualGoal, true
	case input.IncidentCorner:
		return football.VisualCorner, true
	case input.IncidentYellowCard, input.IncidentRedCard:
		return football.VisualCard, true
	case input.IncidentPenalty:
		return football.VisualPenalty, true
	case input.IncidentSubstitution:
		return football.VisualSubstitution, true
	}
	return "", false
}
