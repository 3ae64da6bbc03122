// Package direct answers plain GET requests on the connections of an http.Server before the
// server reads these requests. net/http needs twice as long for a request and its answer as the operating system
// and the handler of a page that is ready.
//
// A request is plain if it arrived in one piece and nothing about it is unusual: HTTP/1.1, a path
// that needs no decoding, fields in printable ASCII, each once, and none that asks for a body or
// for another protocol. Its handler gets the same http.Request as from net/http, without the address
// of the client and the connection, and its context does not end when the client disconnects: see
// OnDisconnect. net/http answers everything else.
//
// Source: RFC 9112 (HTTP/1.1).
package direct
