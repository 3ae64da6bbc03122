// Package input is the language in which a provider's reader states its findings: offers
// of markets, and samples of fixtures in play. The engines of transform read it.
//
// It is in no provider's spelling and interprets nothing. The claims of a provider's
// mapping table about a market come with the offer, as its [Reading]. The
// nouns and vocabularies of the canonical model are those of publish/football.
package input
