package simulation

// Server is mkt serve over the copy of a replica. It runs outside of the simulated time: it blocks on
// real files and connections, during which that time stands still.
type Server interface {
	// Get returns the answer to a request of an account.
	Get(account, path string) (status int, body []byte)
	// Together returns the answers to the same request of several accounts at the same time.
	Together(accounts []string, path string) (bodies map[string][]byte)
	// Await repeats a request of an account until the body of its answer is the newest one, and reports whether it is.
	Await(account, path string, isNewest func(body []byte) bool) bool
	// Dial opens a connection over Socket.IO.
	Dial(account string) (Socket, error)
}

// Socket is a connection of an account to a [Server] over Socket.IO.
type Socket interface {
	// Call sends an event and returns the answer to it.
	Call(event string, payload any) ([]byte, error)
	// Next waits for the next event from the server. The error is [io.EOF] if the connection has ended,
	// and another one if nothing comes for a long time.
	Next() (event string, payload []byte, err error)
	// Cut ends the connection as a failure of the network does.
	Cut()
}
