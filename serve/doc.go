// Package serve is the reader: it answers the HTTP API from the newest snapshots
// and writes nothing but its own usage counters. It reaches neither fetch nor
// transform and holds no key.
//
// A request passes, in this order: method, route, size, token, account status,
// origin, rate limit, product, feature, parameters and cursor, provider, data,
// resource. The first thing wrong is the answer. From its first check to its last
// byte it sees one generation of accounts and one snapshot.
//
// Source: interface specification, sections 4 and 5; DESIGN, section 4.
package serve
