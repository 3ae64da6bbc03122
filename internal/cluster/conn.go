package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	beatEvery = time.Second
	deadAfter = 5 * time.Second // without an announcement
	askFor    = time.Second     // one command
)

// ClockTolerance is the difference between this clock and that of the server above which a worker
// runs no account and takes no lease: its publications would be dated in the future or the past.
const ClockTolerance = 2 * time.Second

// Options are the options of a connection.
type Options struct {
	Address Address
	// Name tells people who this is, such as the machine and the process.
	Name string
	// Installation is the fingerprint of the id key, "" if it is not known. Workers of two
	// installations that use the same server and prefix by mistake share no accounts.
	Installation string
	Now          func() time.Time
	Log          *slog.Logger // nil = discarded
	Dial         Dialer       // nil = over the network
}

// Conn takes leases, and announces publications. With [Conn.Join] it also makes this process a
// worker. It is safe for concurrent use.
type Conn struct {
	o        Options
	client   *Client
	instance string // of this process, unique

	// away is why the last announcements of this worker failed, nil if they did not: no other
	// command waits for its time meanwhile, so that cycles begin and end when they should.
	away atomic.Pointer[AwayError]

	mu       sync.Mutex
	stats    Stats
	released map[string]int // by key of a lease: how often it was given back
}

// Stats counts what happened over a connection.
type Stats struct {
	Taken, Busy, Failed, Lost uint64 // leases: got, held by another, no answer, and those among the taken that were lost
	Announced                 uint64 // publications
}

// Open returns a connection. It does not wait for the server.
func Open(o Options) *Conn {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Conn{o: o, client: NewClient(o.Address, askFor, o.Dial), instance: rand.Text()[:16], released: map[string]int{}}
}

// Close closes the connection. Leases are released before.
func (c *Conn) Close() { c.client.Close() }

// Stats returns the counts so far.
func (c *Conn) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

func (c *Conn) count(add func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add(&c.stats)
}

// AwayError reports that the server did not answer a command, or refused it.
type AwayError struct {
	Address Address
	Outcome Outcome
}

// Error implements error. It has no text of the server.
func (e *AwayError) Error() string {
	switch e.Outcome {
	case Slow:
		return fmt.Sprintf("%s does not answer within %v", e.Address, askFor)
	case Refused:
		return fmt.Sprintf("%s refuses the commands: check the user, the password and the database", e.Address)
	}
	return fmt.Sprintf("%s cannot be reached", e.Address)
}

// ClockError reports that this clock differs too much from that of the server.
type ClockError struct {
	Address Address
	Ahead   time.Duration // by how much this clock is ahead
}

// Error implements error.
func (e *ClockError) Error() string {
	word := "ahead of"
	if e.Ahead < 0 {
		word = "behind"
	}
	return fmt.Sprintf("this clock is %v %s that of %s: no cycle begins here until both agree; see timedatectl status", e.Ahead.Abs().Round(time.Millisecond), word, e.Address)
}

// ask sends one command within its time, unless the server is away. Its error is an [AwayError].
func (c *Conn) ask(ctx context.Context, command func(context.Context) error) error {
	if away := c.away.Load(); away != nil {
		return away
	}
	return c.send(ctx, command)
}

func (c *Conn) send(ctx context.Context, command func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	err := command(within)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &AwayError{c.o.Address, OutcomeOf(err)}
}

// member returns the text for this process: its instance, its installation and its name.
func (c *Conn) member() string {
	return c.instance + "/" + c.o.Installation + "/" + c.o.Name
}

// Worker is a process that runs accounts.
type Worker struct {
	Instance     string
	Installation string // "" if it is not known
	Name         string // for people
}

func parseWorker(member string) Worker {
	instance, rest, _ := strings.Cut(member, "/")
	installation, name, _ := strings.Cut(rest, "/")
	return Worker{instance, installation, name}
}
