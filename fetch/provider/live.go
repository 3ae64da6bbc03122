package provider

import "mkt/publish/football"

// LiveSheet is what live payloads said.
type LiveSheet struct {
	Samples  []football.Sample // in the payloads' order, each fixture once
	Complete bool              // of a list: every page is there, and no item was unreadable
	Filtered map[string]int    // fixtures left out on entry, by rule, "esoccer:league-name"
	Broken   map[string]int    // items that could not be read, by reason
	Unknown  map[string]int    // unknown fields, metrics and event lines met, by name
}
