// Package realtime is the service behind the socket: the channels changes and live,
// which are pushed to all connections at each tick.
//
// At a tick, each account that has connections is evaluated once: what it may receive
// now, and what has been published. A publication after a pause is an additional tick of
// its account. A packet is made once for the account and shared by
// all its connections at the same position. The rights of a connection are checked
// before every push; a subscription that the account has lost ends with
// channel_closed. A connection that is behind receives its own pages, each one only
// after the previous one is written. It holds a position and no data.
//
// Nothing is stored for a connection that has ended: the client sends the position at
// which it continues.
//
// The package renders through api, reads through reader and checks rights through
// gate, so that socket and HTTP cannot differ. It only sends errors of the contract to
// clients, and never closes a connection if closing a channel is enough. It closes a
// connection whose token or origin would no longer be accepted, and one whose position
// is no longer in the log, after a restore or because the client was too slow. Such a
// client reconnects, and the refusal of the handshake or of the subscribe contains the reason.
//
// Source: interface specification, sections 3.4, 5 (item 8), 6 and 8; DESIGN,
// section 5.
package realtime
