package decode

import (
	"slices"
	"time"

	"mkt/fetch/internal/esoccer"
	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/publish/football"
)

// Item is one fixture of a list, of those to be played or of those in play.
type Item struct {
	ID                 string
	Home, Away, League football.Field[string]
	HomeID, AwayID     string // of the teams; "" if not known
	StartsAt           football.Field[time.Time]
	State              string   // in the provider's own words; "" if not known
	OtherSport         bool     // the item says that it is not football
	Damaged            []string // values in the place of names, for the filter
}

// MaxSigns is how much of a damaged name the filter searches, in bytes.
const MaxSigns = 4 << 10

// Rule names the rule that leaves an item out, and where it matched, "esoccer:league-name"; ""
// if none does. A provider without eSoccer so far may add some: the names of all are searched.
func (i *Item) Rule() string {
	if i.OtherSport {
		return "sport:not-football"
	}
	return esoccer.Rule(esoccer.Names{League: i.League.Or(""), Home: i.Home.Or(""), Away: i.Away.Or(""), Damaged: i.Damaged})
}

// Fixture returns the fixture of an item that a provider sent.
func (i *Item) Fixture(provider string, fetched time.Time) football.Fixture {
	return football.Fixture{Home: i.Home, Away: i.Away, League: i.League, StartsAt: i.StartsAt, Provider: provider, ProviderFixtureID: i.ID, FetchedAt: fetched}
}

// IsOtherSport reports whether the member sport_id of an item names another sport than football.
// If the item has two sports, the one that is not football counts: a fixture must be football to
// be kept. A member that is no text is counted as kind.
func (t *Counts) IsOtherSport(item strictjson.Value, ofFootball, kind string) bool {
	sport := t.Text(item, "sport_id", kind)
	if item.Repeats() {
		for key, member := range item.Members() {
			if key == "sport_id" && Field(member).Or(ofFootball) != ofFootball {
				return true
			}
		}
	}
	return sport.Or(ofFootball) != ofFootball
}

// MarketEndpoints are the endpoints of a [provider.MarketAdapter].
type MarketEndpoints struct{ Listing, Markets []string }

// IsListing implements [provider.MarketAdapter].
func (e MarketEndpoints) IsListing(endpoint string) bool {
	return slices.Contains(e.Listing, endpoint)
}

// IsMarkets implements [provider.MarketAdapter].
func (e MarketEndpoints) IsMarkets(endpoint string) bool {
	return slices.Contains(e.Markets, endpoint)
}

// LiveReader is the half of a [provider.LiveAdapter] that reads, for a provider whose details
// have the form of its list.
type LiveReader struct {
	List, Detail string // endpoints; Detail is "" if the list has all details
	Read         func(pages []provider.Payload) (provider.LiveSheet, error)
}

// IsList implements [provider.LiveAdapter].
func (r LiveReader) IsList(endpoint string) bool { return endpoint == r.List }

// IsDetail implements [provider.LiveAdapter].
func (r LiveReader) IsDetail(endpoint string) bool { return r.Detail != "" && endpoint == r.Detail }

// ReadList implements [provider.LiveAdapter].
func (r LiveReader) ReadList(pages []provider.Payload) (provider.LiveSheet, error) {
	return r.Read(pages)
}

// ReadDetail implements [provider.LiveAdapter].
func (r LiveReader) ReadDetail(p provider.Payload) (provider.LiveSheet, error) {
	return r.Read([]provider.Payload{p})
}
