package live

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Join gives the samples of a list the incidents that details of the same
// fixtures told. Nothing else is taken from a detail: it was retrieved at
// another moment, and perhaps from a server that lags, so that its counters
// beside the list's would look like corrections. A detail of a fixture that is
// not listed is left out.
func Join(listed, details []input.Sample) []input.Sample {
	incidents := make(map[string]football.Field[[]input.Incident], len(details))
	for i := range details {
		if d := &details[i]; d.ProviderEventID != "" && d.Incidents.State() != football.Missing {
			incidents[d.ProviderEventID] = d.Incidents
		}
	}
	joined := slices.Clone(listed)
	for i := range joined {
		if told, ok := incidents[joined[i].ProviderEventID]; ok && joined[i].Incidents.State() == football.Missing {
			joined[i].Incidents = told
		}
	}
	return joined
}
