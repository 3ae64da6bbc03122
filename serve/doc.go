// Package serve is the reader: it answers the HTTP API from the newest snapshots, and
// writes only its own usage counters and notes about loads. It imports neither fetch nor
// transform, and has no key.
//
// A request is checked in this order: method, route, size, token, account status,
// origin, rate limit, product, feature, parameters and cursor, provider, data, resource.
// The first failure is the answer. From the first check to the last byte, a request sees
// one generation of accounts and one snapshot.
//
// The files: serve.go, open.go and server.go are the process, its shutdown and the
// outermost handler. routes.go is the route table, call.go has the checks before a
// handler, params.go those of the query. service.go, fixtures.go, markets.go,
// changes.go, live.go, accounts.go and health.go have the handlers. answer.go,
// negotiate.go and requestid.go write answers. protocol_answers.go replaces the errors that net/http
// writes by itself. realtime.go mounts the socket, and metrics*.go count.
//
// Source: interface specification, sections 4 and 5; DESIGN, section 4.
package serve
