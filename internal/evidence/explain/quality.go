package explain

import "mkt/publish/football"

// reasons maps a quality reason to the fields of the row behind it. See publish/football/quality.go
// and transform/markets/price.
var reasons = map[football.Reason]struct {
	fields []string // "label": every descriptive text
	words  string   // for people
}{
	football.AmbiguousShape:      {[]string{"label"}, "its texts lack what the market needs, or state it in two ways"},
	football.UnreadableLine:      {[]string{"label"}, "the line in its texts is missing, of the wrong kind, or present twice with different prices"},
	football.UnresolvedQualifier: {[]string{"label"}, "a team, player or label in its texts could not be resolved"},
	football.OddsMissing:         {nil, "neither form of the price is in the row"},
	football.OddsNull:            {[]string{"odds"}, "the price was sent without a value"},
	football.OddsUnreadable:      {[]string{"odds"}, "the price cannot be read"},
	football.OddsNoOffer:         {[]string{"odds"}, "the price is 1, at which nothing can be won: it is no offer"},
	football.Suspended:           {[]string{"suspended"}, "the provider marks the row as suspended"},
	football.Superseded:          {[]string{"."}, "the row is only in an older copy of the market"},
	football.MarketNotMapped:     {nil, "the market is RAW"},
}

// WhyRaw describes a reason for a market to stay RAW, for people.
func WhyRaw(reason football.Reason) string { return whyRaw[reason] }

// whyRaw describes why a market stayed RAW.
var whyRaw = map[football.Reason]string{
	football.UnknownMarket:       "no line of the mapping table has its key",
	football.NeverMapped:         "the mapping table says that this name cannot be proven",
	football.ConditionFailed:     "its rows do not pass the test of the mapping table, or it has the id of another market",
	football.MixedMarket:         "it holds several markets that could not be told apart",
	football.NoParticipants:      "its rows need the teams' names, which were not sent",
	football.AmbiguousShape:      "its rows contradict what the mapping table claims, or have a shape that is not understood",
	football.UnreadableLine:      "no row has a readable line",
	football.UnresolvedQualifier: "no row could be assigned to a team or player",
}
