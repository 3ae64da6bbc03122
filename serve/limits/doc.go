// Package limits counts the requests and sockets of each account over all replicas of
// serve, in Redis or Valkey.
//
// Both are exact while the server answers: one script takes a token by the clock of the
// server, another adds a socket to the open ones. A command may take [CommandTime]. If the
// server is away, slow or refuses commands, a circuit breaker opens, and each replica
// allows its share of every limit: the limit divided by the replicas alive when the server
// last answered. No request fails because of the server, and none waits for it while the
// breaker is open. Only the replica's own announcement, once a second, finds out when the
// server answers again.
//
// Nothing of record is stored. Every key expires by itself:
//
//	<prefix>:replicas      sorted set: replicas by the time at which they count as dead
//	<prefix>:rate:<id>     the bucket of an account: when it was written, and how far it was ahead
//	<prefix>:rate          the bucket of all requests without a known token
//	<prefix>:sockets:<id>  sorted set: sockets of an account by the time at which they expire
//
// Source: RELIABILITY, section 2 (edge); SCALE, section 2 (limits).
package limits
