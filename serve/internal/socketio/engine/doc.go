// Package engine is the server side of Engine.IO protocol 4: a session is one
// ordered stream of messages in both directions, over long polling, a websocket,
// or first one and then the other.
//
// What belongs together: server.go, request.go and shutdown.go are the HTTP side
// and the order of its checks; polling.go, post.go, websocket.go and upgrade.go the
// ways in; session.go the state, under one mutex, with queue.go (what waits),
// heartbeat.go and end.go; wire.go reads a websocket, write.go writes to all of
// them; message.go and packet.go are the pure codecs.
//
// The mutex of a session is taken before that of the server, never the other way
// round, and never held while a Receiver is called or the network is waited for.
package engine
