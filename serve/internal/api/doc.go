// Package api is the contract: the JSON of every answer, the envelope, the
// cursors, and the table of codes and statuses. Contract words are spelled here
// and nowhere else.
//
// The large bodies (fixtures, markets, change events) are appended straight from
// their table rows, key by key in the specification's order; the small ones are
// structs. A rendered Page is immutable and can be written any number of times:
// only the age of its data is worked out again.
//
// It opens no file and knows no request: the edge and the socket share it.
//
// Source: interface specification, sections 2 and 7.
package api

// Version is the version of the contract, in /status, /schema and the path.
const Version = "v1"

// Root is where the API begins.
const Root = "/api/" + Version
