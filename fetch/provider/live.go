package provider

import (
	"context"

	"mkt/fetch/input"
)

// LiveAdapter asks for and reads the payloads of live intelligence.
type LiveAdapter interface {
	// Ask performs one cycle's requests: the list of fixtures in play, then as many
	// details as the quota allows. resume is [Asked.Resume] of the last cycle and names the
	// fixtures that come first. A detail that could not be fetched is counted among
	// Failed; an error means the cycle failed.
	Ask(ctx context.Context, x Exchange, resume string) (Asked, error)
	// IsList and IsDetail sort a cycle's payloads by endpoint.
	IsList(endpoint string) bool
	IsDetail(endpoint string) bool
	// ReadList reads the list payloads of a cycle, in archive order.
	ReadList(pages []Payload) (LiveSheet, error)
	// ReadDetail reads one payload of details. Safe for concurrent use.
	ReadDetail(p Payload) (LiveSheet, error)
}

// LiveSheet is the content of live payloads.
type LiveSheet struct {
	Samples  []input.Sample // in the payloads' order, each live record once; two may claim one fixture
	Complete bool           // of a list: every page is there, and no item was without an id
	Unread   []string       // ids of live records that are there and not used: of two fixtures, or of an unknown state
	Filtered map[string]int // fixtures left out on entry, by rule, "esoccer:league-name"
	Broken   map[string]int // unreadable items, by reason
	Damaged  map[string]int // unreadable parts of other items, by part and fault
	Unknown  map[string]int // unknown fields, metrics and event lines, by name
	// Met counts the items, and Changed those of them without a member which the
	// provider always sends, but with an unknown one, and those with null there.
	Met, Changed int
}
