// Package all is the list of providers: one line each.
package all

import (
	"slices"
	"strings"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/fetch/provider/betsapi"
	"mkt/fetch/provider/feed"
	"mkt/fetch/provider/sportmonks"
	"mkt/fetch/provider/theoddsapi"
)

var providers = []provider.Provider{
	betsapi.Provider(),
	apifootball.Provider(),
	sportmonks.Provider(),
	theoddsapi.Provider(),
}

// All returns every provider with a name of its own, in the order of the list.
func All() []provider.Provider { return slices.Clone(providers) }

// Lookup finds a provider by its exact name; that of a feed is "feed:" and its source.
func Lookup(name string) (provider.Provider, bool) {
	if source, is := strings.CutPrefix(name, feed.Prefix); is && CheckSource(source) == "" {
		return feed.Provider(source), true
	}
	for _, p := range providers {
		if p.Name == name {
			return p, true
		}
	}
	return provider.Provider{}, false
}

// CheckSource returns what is wrong with the name of a feed's source, "" if nothing: it must not be
// that of a provider.
func CheckSource(source string) string {
	if _, taken := Lookup(source); taken {
		return "is the name of a provider that mkt reads itself: name the feed by who makes it"
	}
	if !feed.IsSource(source) {
		return `want 1 to 32 of a-z, 0-9 and "-", beginning with a letter`
	}
	return ""
}
