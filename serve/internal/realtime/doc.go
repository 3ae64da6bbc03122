// Package realtime is the service behind the socket: the channels changes and live,
// which are pushed to all connections at each tick.
//
// At a tick, each account with connections is evaluated once: its rights now, and its new
// publications. A publication after a pause is an additional tick of its account. A packet
// is made once for the account and shared by all its connections at the same position. The
// rights of a connection are checked before every push; if the account has lost the right to
// a subscription, it ends with channel_closed. A connection that is behind receives its own
// pages, each one only after the previous one is written. It holds a position and no data.
//
// Nothing is stored for a connection after its end: the client sends the position at which
// it continues.
//
// The package renders through api, reads through reader and checks rights through
// gate, so socket and HTTP cannot differ. It only sends errors of the contract to
// clients, and never closes a connection if closing a channel is enough. It closes a
// connection if its token or origin would no longer be accepted, or if its position is no
// longer in the log, after a restore or because the client was too slow. Such a client
// reconnects, and the refusal of the handshake or of the subscribe contains the reason.
//
// Source: interface specification, sections 3.4, 5 (item 8), 6 and 8; DESIGN,
// section 5.
package realtime
