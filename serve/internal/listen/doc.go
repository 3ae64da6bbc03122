// Package listen bounds the connections that an http.Server holds at once: in
// total, and from one address.
//
// A server with room accepts. At a bound the connection that has kept the server
// waiting longest is closed in favour of the new one: one that is idle, or that
// has not sent the whole of its request; else one that does not take its answer.
// When there is none, which means that requests are being answered on all of them,
// the new connection is refused.
//
// An address is an IPv4 address, or the /64 network of an IPv6 address: whoever
// has one of those has all of its addresses.
package listen
