// Package engine is the server side of Engine.IO protocol 4: a session is an ordered
// stream of messages in both directions, over long polling, a websocket, or first one and
// then the other.
//
// The files: server.go, request.go and shutdown.go are the HTTP side and the order of its
// checks. polling.go, post.go, websocket.go and upgrade.go are the transports. session.go
// has the state under one mutex, with queue.go (outgoing messages), inbound.go (incoming
// messages), heartbeat.go and end.go. idle.go waits for data on the websockets, websocket_conn.go
// reads it, and write.go writes to all of them. message.go, deflate.go and packet.go are
// the codecs.
//
// The mutex of a session is locked before that of the server, never the other way round.
// Neither is held while a Receiver is called or during network operations.
package engine
