// Package socketio is the server side of Socket.IO v4: Engine.IO protocol 4 below
// (package engine: polling, websocket, the upgrade, heartbeats), Socket.IO
// protocol 5 in here: namespaces, events, acknowledgements, refusals.
//
// It knows names of events and bytes of JSON, and nothing of what they mean.
// Nothing is kept for a client that is gone and nothing is sent twice: whoever
// needs more puts a position into the messages.
//
// A connection that is idle costs one small goroutine and no buffers. What is
// sent to many is encoded once, in a Packet that all of them share.
//
// Usage: New with a Handler for each namespace, mount the Server at its path with
// and without a trailing slash, Shutdown at the end. The outer http.Server may
// have timeouts: they are extended through http.ResponseController, for which
// wrappers of the ResponseWriter implement Unwrap. No middleware may buffer the
// answer, compress it, or restrict the methods to fewer than GET, POST, OPTIONS.
package socketio
