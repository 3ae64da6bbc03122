// Package listen limits the simultaneous connections of an http.Server: in total, and of
// each address.
//
// Below the limits, every connection is accepted. At a limit, the connection for which the
// server has waited longest is closed in favour of the new one: one that is idle or has
// not sent its complete request, or else one that does not read its answer. If there is
// none, because requests are being answered on all of them, the new connection is refused.
//
// An address is an IPv4 address, or the /64 network of an IPv6 address, because a client
// with one of them can use all addresses in it.
package listen
