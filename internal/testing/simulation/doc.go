// Package simulation runs the whole system in one process, from one seed, on a simulated clock: for
// tests only. Everything that can differ between two runs comes from the seed, so that the same
// seed gives the same log, byte for byte.
//
// The world runs inside of testing/synctest. Every operation on a disk, every request and every
// message registers itself and waits. When all goroutines wait, the scheduler gives one operation its
// turn. Chance comes from the seed and the operation's name, never from an order: a run without some of
// its faults has the others at the same places, which makes the search for a short history possible. If
// no operation waits, the clock moves to the next timer.
//
// A clock of its own would have needed one in net/http, the client of Redis and every timer of the
// stages; synctest needs none. It has three costs. A mutex that is held during an operation stops the
// clock. Two timers of one instant wake their goroutines in no defined order, so that latencies differ
// and one thread runs them. Pools of libraries keep channels of the bubble, so that each world is a
// process of its own.
//
// [Run] runs one machine, or a cluster of three workers and two replicas. Package served adds servers, which
// run in real time: while one of them is asked, the simulated time, which their clocks show, stands still. The scheduler, the stages, the
// store, the sharing of accounts, replicas, limits, verify, repair, the transparency log and the file of accounts are the real ones. What
// the command mkt schedule does between them works on real folders: worker.go does it in its place.
package simulation
