// Package listen limits the simultaneous connections of an http.Server, in total and of
// each address, and sends an answer in one write ([Conn.Gather]).
//
// Below the limits, every connection is accepted. At a limit, a new connection replaces
// another one. First that is the connection for which the server has waited longest: it is
// idle, or has not sent its complete request. If there is none, it is one whose client does
// not read its answer. Otherwise requests are being answered on all connections, and the
// new one is refused.
//
// An address is an IPv4 address, or the /64 network of an IPv6 address, because a client
// with one of them can use all addresses in it.
package listen
