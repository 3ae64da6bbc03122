package daemon

import (
	"slices"

	"mkt/fetch/provider/all"
	"mkt/serve"
)

// ProviderWords returns the providers' own words for sections and metrics, which reach clients
// unchanged.
func ProviderWords() (w serve.Words) {
	for _, p := range all.All() {
		w.Sections = append(w.Sections, p.Sections...)
		w.ProviderMetrics = append(w.ProviderMetrics, p.Metrics...)
	}
	for _, list := range []*[]string{&w.Sections, &w.ProviderMetrics} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return w
}
