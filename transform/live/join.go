package live

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Join returns the samples of a list with the incidents from the details of the same fixtures. If
// the list is of a kind without counters, it also takes the counters. It takes nothing else from
// a detail: it was retrieved at another moment, perhaps from a lagging server, and its counters
// would look like corrections of the list's. A detail of an unlisted fixture is a sample of its
// own if the fixture is over or called off, and is ignored otherwise.
func Join(listed, details []input.Sample) []input.Sample {
	incidents := make(map[string]football.Field[[]input.Incident], len(details))
	counted := make(map[string][]football.Counter)
	for i := range details {
		if d := &details[i]; d.ProviderEventID != "" && d.Incidents.State() != football.Missing {
			incidents[d.ProviderEventID] = d.Incidents
		}
		if d := &details[i]; d.ProviderEventID != "" && !d.CountersNotAsked {
			counted[d.ProviderEventID] = d.Counters
		}
	}
	joined := slices.Clone(listed)
	isListed := make(map[string]bool, len(listed))
	for i := range joined {
		isListed[joined[i].ProviderEventID] = true
		if own, ok := incidents[joined[i].ProviderEventID]; ok && joined[i].Incidents.State() == football.Missing {
			joined[i].Incidents = own
		}
		if counters, ok := counted[joined[i].ProviderEventID]; ok && joined[i].CountersNotAsked {
			joined[i].Counters, joined[i].CountersNotAsked = counters, false
		}
	}
	for i := range details {
		d := &details[i]
		if ended := d.Status == input.Over || d.Status == input.Off; ended && d.ProviderEventID != "" && !isListed[d.ProviderEventID] {
			isListed[d.ProviderEventID] = true
			joined = append(joined, *d)
		}
	}
	return joined
}
