package upstream

import "time"

// Limits are the budgets of a run. A zero field has its default.
type Limits struct {
	Run     time.Duration // the whole run: 30 minutes
	Bytes   int64         // all answers of a run, unpacked: 4 GiB
	Tries   int           // of one request: 4
	Wait    time.Duration // before the first retry, then growing: 500 ms
	MaxWait time.Duration // between two retries, unless the provider asks for more: 30 s

	Break time.Duration // nothing is sent after six attempts in a row failed: 5 s

	Connect time.Duration // name and connection: 10 s
	TLS     time.Duration // handshake: 10 s
	Header  time.Duration // from the request to the last header: 30 s
	Body    time.Duration // from there to the end: 60 s
	Window  time.Duration // over which MinRate is measured: 10 s
	MinRate int64         // bytes a second on the wire: 1 KiB

	HeaderBytes int64 // 64 KiB
	MaxRatio    int64 // unpacked to packed bytes, from 1 MiB on: 200 (real answers: up to 26)
}

func (l Limits) withDefaults() Limits {
	def(&l.Run, 30*time.Minute)
	def(&l.Bytes, 4<<30)
	def(&l.Tries, 4)
	def(&l.Wait, 500*time.Millisecond)
	def(&l.MaxWait, 30*time.Second)
	def(&l.Break, 5*time.Second)
	def(&l.Connect, 10*time.Second)
	def(&l.TLS, 10*time.Second)
	def(&l.Header, 30*time.Second)
	def(&l.Body, 60*time.Second)
	def(&l.Window, 10*time.Second)
	def(&l.MinRate, 1<<10)
	def(&l.HeaderBytes, 64<<10)
	def(&l.MaxRatio, 200)
	return l
}

// Budget is how long the whole run may take.
func (l Limits) Budget() time.Duration { return l.withDefaults().Run }

func def[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}
