// Package socketio is the server side of Socket.IO v4: Engine.IO protocol 4 in package
// engine (polling, websocket, upgrade, heartbeats), and Socket.IO protocol 5 in this
// package (namespaces, events, acknowledgements, refusals).
//
// It knows names of events and bytes of JSON, but not their meaning. It stores nothing for
// a client after its disconnection, and sends nothing twice. An application with higher
// demands puts a position into its messages.
//
// An idle websocket needs neither a goroutine nor a buffer. A message to many clients is
// encoded once, in a [Packet] for all of them.
//
// Usage: call [New] with a [Handler] for each namespace, mount the [Server] at its path with
// and without a trailing slash, and call [Server.Shutdown] at the end. The outer http.Server
// may have timeouts, which are extended through http.ResponseController; wrappers of the
// ResponseWriter must implement Unwrap. No middleware may buffer or compress the answers,
// or allow fewer methods than GET, POST and OPTIONS.
package socketio
