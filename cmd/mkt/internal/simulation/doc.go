// Package simulation runs the whole system in one process, from one seed, on a simulated clock: for
// tests only. Everything that can differ between two runs comes from the seed, so that the same
// seed gives the same log, byte for byte.
//
// The world runs inside of testing/synctest. Every operation on a disk and every request registers
// itself and waits. When all goroutines wait, the scheduler gives one operation its turn, and decides
// whether it succeeds, fails, or is the last one of its machine. If no operation waits, the clock
// moves to the next timer. The stages need no clock of their own for that: timers, deadlines and
// net/http follow the fake clock as they are.
package simulation
