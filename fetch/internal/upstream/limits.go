package upstream

import "time"

// Limits are the budgets of a run. A zero field has its default.
type Limits struct {
	Run     time.Duration // the whole run: 30 minutes
	Bytes   int64         // all answers of a run, decompressed: 4 GiB
	Values  int64         // JSON values and keys of accepted answers, in all: 32 million
	Tries   int           // of one request: 4
	Wait    time.Duration // before the first retry, then growing: 500 ms
	MaxWait time.Duration // between two retries, unless the provider asks for more: 30 s

	// QuotaWait is how long a run may wait for the quota at once, and a third of how long
	// in all: 10 s. A run that would have to wait longer ends.
	QuotaWait time.Duration
	Confirm   time.Duration // before a refusal is confirmed by another request: 3 s

	Break time.Duration // nothing is sent after six attempts in a row failed: 5 s

	Connect time.Duration // name and connection: 10 s
	TLS     time.Duration // handshake: 10 s
	Header  time.Duration // from the request to the last header: 30 s
	Body    time.Duration // from there to the end: 60 s
	Window  time.Duration // over which MinRate is measured: 10 s
	MinRate int64         // bytes a second on the wire: 1 KiB

	HeaderBytes int64 // 64 KiB
	MaxRatio    int64 // decompressed to compressed bytes, from 1 MiB on: 50 (real answers: up to 26)
}

var defaults = Limits{
	Run: 30 * time.Minute, Bytes: 4 << 30, Values: 32 << 20, Tries: 4, Wait: 500 * time.Millisecond, MaxWait: 30 * time.Second,
	QuotaWait: 10 * time.Second, Confirm: 3 * time.Second,
	Break: 5 * time.Second, Connect: 10 * time.Second, TLS: 10 * time.Second, Header: 30 * time.Second, Body: 60 * time.Second,
	Window: 10 * time.Second, MinRate: 1 << 10, HeaderBytes: 64 << 10, MaxRatio: 50,
}

// Or fills in zero fields from other.
func (l Limits) Or(other Limits) Limits {
	def(&l.Run, other.Run)
	def(&l.Bytes, other.Bytes)
	def(&l.Tries, other.Tries)
	def(&l.Wait, other.Wait)
	def(&l.MaxWait, other.MaxWait)
	def(&l.QuotaWait, other.QuotaWait)
	def(&l.Confirm, other.Confirm)
	def(&l.Break, other.Break)
	def(&l.Connect, other.Connect)
	def(&l.TLS, other.TLS)
	def(&l.Header, other.Header)
	def(&l.Body, other.Body)
	def(&l.Window, other.Window)
	def(&l.MinRate, other.MinRate)
	def(&l.HeaderBytes, other.HeaderBytes)
	def(&l.MaxRatio, other.MaxRatio)
	def(&l.Values, other.Values)
	return l
}

func (l Limits) withDefaults() Limits { return l.Or(defaults) }

// Budget returns how long the whole run may take.
func (l Limits) Budget() time.Duration { return l.withDefaults().Run }

func def[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
