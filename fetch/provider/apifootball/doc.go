// Package apifootball is the adapter for API-Football v3 (API-SPORTS): fixtures,
// prematch odds of one bookmaker, and matches in play, in the provider's spelling.
//
// The files ask*.go ask and read*.go read; bets.csv is the mapping table. Asking and
// reading meet only in bytes. internal/api holds the words of the wire format.
//
// The list (fixtures) knows teams, league, kick-off and status; the odds know none of
// the teams. The provider's fixture id joins the two. A selection is one text, which
// holds side, line and all; there are no ids of selections, and no price is marked as
// suspended: what is listed was on offer.
//
// live_*.go read matches in play: the list has clock, score and events, the details
// have the counters, too. The provider sends no attacks.
//
// Source: provider notes for API-Football, sections 1 to 8, as of 2026.
package apifootball
