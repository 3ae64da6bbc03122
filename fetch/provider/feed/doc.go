// Package feed is the adapter for any provider whose answers somebody translates into the
// feed of docs/feed.md.
//
// The files ask*.go send requests and read*.go read answers; the two share nothing but
// bytes. The package emulator is the reference server; internal/api has the names shared
// with it.
//
// A market's meaning is the account's mapping table's, which is archived with the answers,
// or what the feed claims. The rows must bear either out.
package feed
