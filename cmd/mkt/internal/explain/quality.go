package explain

import "mkt/publish/football"

// reasons says which fields of the row a quality reason is about. See publish/football/quality.go
// and transform/markets/price.go.
var reasons = map[football.Reason]struct {
	fields []string // "label": every descriptive text
	words  string   // for people
}{
	football.AmbiguousShape:      {[]string{"label"}, "its texts do not say what the market wants, or say it in two ways"},
	football.UnreadableLine:      {[]string{"label"}, "the line in its texts is missing, of a wrong kind, or given twice with different prices"},
	football.UnresolvedQualifier: {[]string{"label"}, "a team, player or label in its texts could not be resolved"},
	football.OddsMissing:         {nil, "neither form of the price is in the row"},
	football.OddsNull:            {[]string{"odds"}, "the price was sent without a value"},
	football.OddsUnreadable:      {[]string{"odds"}, "the price is no price"},
	football.Suspended:           {[]string{"suspended"}, "the provider marks the row as suspended"},
	football.Superseded:          {[]string{"."}, "the row is only in an older copy of the market"},
	football.MarketNotMapped:     {nil, "the market is RAW"},
}

// whyRaw describes why a market stayed RAW.
var whyRaw = map[football.Reason]string{
	football.UnknownMarket:       "no line of the mapping table has its key",
	football.NeverMapped:         "the mapping table says that this name cannot be proven",
	football.ConditionFailed:     "its rows do not pass the test that the mapping table demands, or it bears another market's id",
	football.MixedMarket:         "it holds several markets that could not be told apart",
	football.NoParticipants:      "its rows need the teams' names, which were not sent",
	football.AmbiguousShape:      "its rows contradict what the mapping table claims, or have a shape that is not understood",
	football.UnreadableLine:      "the line of no row could be read",
	football.UnresolvedQualifier: "no row could be given to a team or player",
}
