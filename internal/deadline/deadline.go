// Package deadline sets the time limits of network connections. The runtime compares them with
// the clock of the machine. So they follow that clock, even if a server was given another one for
// the times it reports.
package deadline

import "time"

// Read limits the reads of a connection, or of a request, to d from now.
func Read(c interface{ SetReadDeadline(time.Time) error }, d time.Duration) error {
	return c.SetReadDeadline(time.Now().Add(d))
}

// Write limits the writes of a connection, or of an answer, to d from now.
func Write(c interface{ SetWriteDeadline(time.Time) error }, d time.Duration) error {
	return c.SetWriteDeadline(time.Now().Add(d))
}

var started = time.Now()

// Elapsed returns the time since the process started, for comparing how long a client took
// with a limit. It does not jump if the clock of the machine is set.
func Elapsed() time.Duration { return time.Since(started) }
