// Package serve is the reader: it answers the HTTP API from the newest snapshots, and
// writes only its own usage counters, the newest requests, and notes about loads. It imports neither fetch nor
// transform, and has no key.
//
// A request is checked in this order: method, route, size, token, account status,
// origin, rate limit, product, feature, parameters and cursor, provider, data, resource.
// The first failure is the answer. From the first check to the last byte, a request sees
// one generation of accounts and one snapshot.
//
// From the top: serve.go is the process and its shutdown, open.go makes the server, and
// handler.go is the outermost handler, before routing. routes.go has the table of routes,
// with the handlers in fixtures.go, markets.go, changes.go, live.go, path.go, accounts.go
// and status.go. They stand on call.go, which makes the checks before a handler and sends
// its page, and on params.go, which parses the query. realtime.go mounts the socket, and
// requests.go keeps the newest requests of each account.
//
// Below it, internal/response writes answers, internal/pipeline says how an account's data
// and connection are, internal/metrics counts, and replay moves a clock of the past.
//
// Source: interface specification, sections 4 and 5; DESIGN, section 4.
package serve
