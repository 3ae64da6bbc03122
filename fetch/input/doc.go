// Package input is the language in which a provider's reader states what it
// read: offers of markets, and samples of fixtures in play. The engines of
// transform read it.
//
// It is in no provider's spelling and interprets nothing. What a provider's
// mapping table claims about a market comes with the offer, as its Reading. The
// nouns and vocabularies of the canonical model are those of publish/football.
package input
