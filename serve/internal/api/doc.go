// Package api implements the contract: the JSON of every answer, the envelope, the
// cursors, and the codes with their statuses. Words of the contract occur in this
// package only.
//
// Large bodies (fixtures, markets, live fixtures, change events) are rendered directly
// from their table rows, in the key order of the specification. Small ones are structs
// for encoding/json. A rendered Page is immutable and can be written any number of
// times; only the age of its data is computed again.
//
// The package opens no files and knows nothing of requests. HTTP and socket share it.
//
// Source: interface specification, sections 2 and 7.
package api

// Version is the version of the contract, in /status, /schema and the path.
const Version = "v1"

// Root is the path below which all routes are.
const Root = "/api/" + Version
