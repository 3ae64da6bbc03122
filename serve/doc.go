// Package serve is the reader: it answers the HTTP API from the newest snapshots
// and writes nothing but its own usage counters. It reaches neither fetch nor
// transform and holds no key.
//
// A request passes, in this order: method, route, size, token, account status,
// origin, rate limit, product, feature, parameters and cursor, provider, data,
// resource. The first thing wrong is the answer. From its first check to its last
// byte it sees one generation of accounts and one snapshot.
//
// What belongs together: serve.go, open.go and server.go are the process, its end
// and the outermost frame; routes.go is the table, call.go what is checked before a
// handler, params.go what a query may say; service.go, fixtures.go, markets.go,
// changes.go, live.go, accounts.go and health.go answer; answer.go, negotiate.go and
// requestid.go write; wire.go words what net/http answers by itself; realtime.go
// mounts the socket; metrics.go and those behind it count.
//
// Source: interface specification, sections 4 and 5; DESIGN, section 4.
package serve
