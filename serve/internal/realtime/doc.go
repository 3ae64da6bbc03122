// Package realtime is the service behind the socket: the channels changes and
// live, pushed on one tick for everybody.
//
// A tick looks at each account that has connections once: what it may have now,
// what has been published. A packet is made once for the account and shared by
// all its connections at the same position. What a connection may have is judged
// again before every push; what it may no longer have ends in channel_closed. A
// connection that lags behind gets its own pages, the next one only when the last
// one is written; it holds a position and no data.
//
// Nothing is kept for a connection that is gone: the client says where it was.
//
// It renders through api, reads through reader, judges through gate, so that
// socket and HTTP cannot differ. It never writes an error to a client that is not
// one of the contract's, and never closes a connection where closing a channel
// will do. It closes one whose token or origin would not be let in any more, and
// one whose position is no longer in the log, be it after a restore or because it
// was too slow: it comes back, and is told why by the handshake or the subscribe.
//
// Source: interface specification, sections 3.4, 5 (item 8), 6 and 8; DESIGN,
// section 5.
package realtime
