package coordination

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go"
)

// Format is the version of the messages between workers, and of the values of leases. A worker
// that hears a newer one does not work.
//
//	1: November 2026
const Format = 1

// Worker is a worker's description of itself. Others may have written it: it is trusted for
// nothing but the distribution of the accounts.
type Worker struct {
	Format       int       `json:"format"`
	Instance     string    `json:"instance"`
	Name         string    `json:"name"`
	Version      string    `json:"version"`
	Installation string    `json:"installation"`
	Started      time.Time `json:"started"`
	Time         time.Time `json:"time"` // by its clock
	Weight       int       `json:"weight"`
	Able         bool      `json:"able"` // it can take leases
	Leaving      bool      `json:"leaving"`
	Held         int       `json:"leases"`
	Accounts     int       `json:"accounts"`
	// Difference is its clock less the receiver's, including the time of delivery. The receiver
	// sets it.
	Difference time.Duration `json:"-"`
}

// Times of the membership.
const (
	beatEvery   = 2 * time.Second
	askEvery    = 500 * time.Millisecond  // between two questions to the same worker
	answerFor   = 1800 * time.Millisecond // for an answer: it ends between two looks at the others, so that chance does not decide at which one the next question is due
	askAtMost   = 40                      // questions to all workers in a second; many workers are asked less often than askEvery
	deadAfter   = 8 * time.Second         // without a beat, even if the servers still know its subject
	settleAfter = 700 * time.Millisecond
	mostWorkers = 4096 // remembered
	mostWeight  = 4096
)

// Member is this process among the workers.
type Member struct {
	c       *Conn
	changed chan struct{} // the team has changed
	weight  int
	started time.Time // UTC, for people
	joined  time.Time
	end     context.CancelFunc
	ended   chan struct{}

	mu       sync.Mutex // guards the fields below
	others   map[string]*other
	ableFrom time.Time // since when leases can be taken, zero if they cannot
	settled  bool      // the others were asked and had time to answer
	leaving  bool
	accounts int
	team     []voter // in force
}

type other struct {
	Worker
	heard   time.Time
	asked   time.Time
	asking  bool
	absent  int  // how often in a row the servers did not know it
	left    bool // it announced its departure
	noticed bool // its clock was reported
}

// voter is a worker among whom the accounts are distributed.
type voter struct {
	instance string
	weight   int
}

// Join makes this process a worker with a weight, such as its number of processors. It calls
// changed, one at a time, when accounts may have moved, until [Member.End].
func (c *Conn) Join(weight int, changed func()) (*Member, error) {
	ctx, end := context.WithCancel(context.Background())
	m := &Member{c: c, changed: make(chan struct{}, 1), weight: min(max(weight, 1), mostWeight), started: c.o.Now().UTC(), joined: c.o.Now(), end: end, ended: make(chan struct{}), others: map[string]*other{}}
	a := c.o.Address
	for subject, do := range map[string]nats.MsgHandler{
		a.subject("beat"):               m.hear,
		a.subject("hello"):              func(q *nats.Msg) { m.say(q.Reply) },
		a.subject("worker", c.instance): func(q *nats.Msg) { _ = q.Respond(nil) },
	} {
		if _, err := c.nc.Subscribe(subject, do); err != nil {
			end()
			return nil, fmt.Errorf("work %s: %w", a, err)
		}
	}
	c.mu.Lock()
	c.member = m
	c.mu.Unlock()
	go m.run(ctx)
	go m.report(ctx, changed)
	return m, nil
}

// Leave announces the departure of this worker: it begins no further run, and the others take
// over its accounts at once. Its leases stay held.
func (m *Member) Leave() {
	m.mu.Lock()
	m.leaving = true
	m.mu.Unlock()
	m.say("")
	_ = m.c.nc.FlushTimeout(time.Second) // those who miss it wait for the next beat
}

// End stops the beats. Call [Member.Leave] first.
func (m *Member) End() {
	m.end()
	<-m.ended
}

// Accounts returns the number given to [Member.SetAccounts].
func (m *Member) Accounts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.accounts
}

// SetAccounts sets the number of accounts of this worker, for people.
func (m *Member) SetAccounts(n int) {
	m.mu.Lock()
	m.accounts = n
	m.mu.Unlock()
}

func (m *Member) run(ctx context.Context) {
	defer close(m.ended)
	defer m.c.OnChange(m.look)()
	const look = beatEvery / 4
	tick := time.NewTicker(look)
	defer tick.Stop()
	m.look()
	for last := time.Now(); ; {
		select {
		case <-tick.C:
			if now := time.Now(); now.Sub(last) > beatEvery-look/2 { // also if ticks were missed
				m.say("")
				last = now
			}
			m.look()
			m.update()
		case <-ctx.Done():
			return
		}
	}
}

// look notes whether leases can be taken. Each time this begins, it asks the others for a beat.
func (m *Member) look() {
	able := m.c.Trouble() == nil
	now := m.c.o.Now()
	m.mu.Lock()
	hello := able && m.ableFrom.IsZero()
	switch {
	case hello:
		m.ableFrom = now
	case !able:
		m.ableFrom = time.Time{}
	}
	m.mu.Unlock()
	if hello {
		_ = m.c.nc.PublishRequest(m.c.o.Address.subject("hello"), m.c.o.Address.subject("beat"), nil)
	}
}

// say publishes a beat, or answers with it.
func (m *Member) say(to string) {
	c := m.c
	stats := c.Stats()
	m.mu.Lock()
	w := Worker{Format: Format, Instance: c.instance, Name: c.o.Name, Version: c.o.Version, Installation: c.o.Installation, Started: m.started, Time: c.o.Now().UTC(),
		Weight: m.weight, Able: !m.ableFrom.IsZero() && m.settled, Leaving: m.leaving, Held: stats.Held, Accounts: m.accounts}
	m.mu.Unlock()
	text, err := json.Marshal(w)
	if err != nil {
		return
	}
	if to == "" {
		to = c.o.Address.subject("beat")
	}
	_ = c.nc.Publish(to, text) // the next one comes soon
}

// readWorker reads a beat.
func readWorker(data []byte, now time.Time) (Worker, bool) {
	var w Worker
	if len(data) > 4096 || json.Unmarshal(data, &w) != nil || w.Instance == "" || len(w.Instance) > 64 || w.Format < 1 || strings.ContainsAny(w.Instance, ".*> \t\r\n") {
		return w, false
	}
	w.Weight, w.Difference = min(max(w.Weight, 1), mostWeight), w.Time.Sub(now)
	return w, true
}

func (m *Member) hear(message *nats.Msg) {
	now := m.c.o.Now()
	w, ok := readWorker(message.Data, now)
	if !ok || w.Instance == m.c.instance {
		return
	}
	m.mu.Lock()
	o := m.others[w.Instance]
	if o == nil {
		if len(m.others) >= mostWorkers {
			m.mu.Unlock()
			return
		}
		o = &other{}
		m.others[w.Instance] = o
	}
	noticed := o.noticed || w.Difference.Abs() <= ClockTolerance
	report := !noticed
	newer := w.Format > Format && o.Format <= Format
	*o = other{Worker: w, heard: now, asked: o.asked, asking: o.asking, left: o.left || w.Leaving, noticed: o.noticed || report}
	left := w.Leaving
	m.mu.Unlock()
	if report {
		m.c.o.Log.Warn("the clock of another worker differs; set both by NTP, because cycles are due by these clocks", "worker", w.Name, "by", w.Difference.Round(time.Millisecond).String())
	}
	if newer {
		m.c.checkNow()
	}
	if left {
		m.update()
	}
}

// reconnected gives the others time to be heard again.
func (m *Member) reconnected() {
	now := m.c.o.Now()
	m.mu.Lock()
	for _, o := range m.others {
		o.heard = now
	}
	m.mu.Unlock()
	_ = m.c.nc.PublishRequest(m.c.o.Address.subject("hello"), m.c.o.Address.subject("beat"), nil)
}

// update asks the others whether they are alive, forgets the dead, and reports a change of the
// team.
func (m *Member) update() {
	if !m.c.nc.IsConnected() {
		return // nobody can be heard: the team stays as it was
	}
	now := m.c.o.Now()
	var silent []string
	m.mu.Lock()
	if !m.ableFrom.IsZero() && now.Sub(m.ableFrom) >= settleAfter && !m.settled {
		m.settled = true
		defer m.say("")
	}
	interval := max(askEvery, time.Duration(len(m.others))*time.Second/askAtMost)
	for id, o := range m.others {
		switch quiet := now.Sub(o.heard); {
		case quiet > deadAfter:
			delete(m.others, id)
		case now.Sub(o.asked) >= interval && !o.asking && !o.left:
			o.asking, o.asked = true, now
			silent = append(silent, id)
		}
	}
	team := m.teamNow()
	changed := !slices.Equal(team, m.team)
	m.team = team
	m.mu.Unlock()
	for _, id := range silent {
		go m.ask(id)
	}
	if changed {
		select {
		case m.changed <- struct{}{}:
		default:
		}
	}
}

// report calls do after changes of the team.
func (m *Member) report(ctx context.Context, do func()) {
	for {
		select {
		case <-m.changed:
			do()
		case <-ctx.Done():
			return
		}
	}
}

// ask asks a worker for a sign of life. The servers know at once when nobody subscribes to its
// subject any more. After two such answers it is forgotten; after one, it may be connecting to
// another server.
func (m *Member) ask(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), answerFor)
	defer cancel()
	_, err := m.c.nc.RequestWithContext(ctx, m.c.o.Address.subject("worker", id), nil)
	m.mu.Lock()
	if o := m.others[id]; o != nil {
		o.asking = false
		if err == nil {
			o.absent = 0
		}
		if errors.Is(err, nats.ErrNoResponders) {
			if o.absent++; o.absent > 1 {
				delete(m.others, id)
			}
		}
	}
	m.mu.Unlock()
}

// teamNow returns the workers that share the accounts, sorted. m.mu must be held.
func (m *Member) teamNow() []voter {
	if !m.settled || m.leaving {
		return nil
	}
	team := []voter{{m.c.instance, m.weight}}
	for id, o := range m.others {
		if o.Able && !o.left && o.Format <= Format && o.Installation == m.c.o.Installation {
			team = append(team, voter{id, o.Weight})
		}
	}
	slices.SortFunc(team, func(a, b voter) int { return strings.Compare(a.instance, b.instance) })
	return team
}

// Owns reports whether this worker runs an account. While the team is unknown, nobody owns it.
// Without a connection, everybody owns the same accounts as before, and no lease can be taken.
func (m *Member) Owns(client string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return ownerOf(client, m.team) == m.c.instance
}

// ownerOf returns the worker of an account: the one with the highest score (rendezvous hashing).
// If a worker comes or goes, only its accounts move. It returns "" if there is no worker.
func ownerOf(client string, team []voter) (instance string) {
	best := math.Inf(-1)
	for _, v := range team {
		h := xxhash.New()
		_, _ = h.WriteString(v.instance)
		_, _ = h.Write([]byte{0})
		_, _ = h.WriteString(client)
		// In (0, 1), from the upper 53 bits; the logarithm makes the shares proportional to the weights.
		u := (float64(h.Sum64()>>11) + 0.5) / (1 << 53)
		if score := float64(v.weight) / -math.Log(u); score > best {
			best, instance = score, v.instance
		}
	}
	return instance
}

// isThere reports whether a worker was heard lately. The caller checks first that the process is
// a worker, because no other one sends beats.
func (m *Member) isThere(instance string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.others[instance]
	return known || instance == m.c.instance
}

// Team returns how many workers share the accounts.
func (m *Member) Team() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.team)
}

// refused returns the reason why this worker must not work beside the others, or nil.
func (m *Member) refused() *Trouble {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.others {
		if o.Format > Format && o.Installation == m.c.o.Installation {
			return newer(m.c.o.Address, o.Worker)
		}
	}
	return nil
}

// foreignTo returns the [Trouble] of a bucket of another installation. It returns nil, and the
// caller takes the bucket over, once this worker has heard none of that installation for long
// enough.
func (c *Conn) foreignTo(owner string, m *Member) *Trouble {
	trouble := &Trouble{Code: Foreign, Next: "give each installation its own name, as ?cluster=NAME in the work setting",
		What: fmt.Sprintf("work %s: the leases belong to another installation: its id key is %s, and the one here is %s", c.o.Address, owner, c.o.Installation)}
	if m == nil {
		return trouble
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range m.others {
		if o.Installation == owner {
			trouble.What += ", and its worker " + o.Name + " runs"
			return trouble
		}
	}
	if c.o.Now().Sub(m.joined) <= deadAfter {
		return trouble
	}
	return nil
}

func newer(a Address, w Worker) *Trouble {
	return &Trouble{Code: Newer, What: fmt.Sprintf("work %s: the worker %s is of a newer version (mkt %s, format %d; this is format %d)", a, w.Name, w.Version, w.Format, Format),
		Next: "upgrade mkt on this machine"}
}

// Workers asks all workers, and returns the answers of a limited time, sorted by name.
func (c *Conn) Workers(ctx context.Context, within time.Duration) ([]Worker, error) {
	inbox := c.nc.NewRespInbox()
	answers := make(chan *nats.Msg, 256)
	sub, err := c.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.nc.PublishRequest(c.o.Address.subject("hello"), inbox, nil); err != nil {
		return nil, err
	}
	var list []Worker
	over := time.NewTimer(within)
	defer over.Stop()
	for {
		select {
		case answer := <-answers:
			if w, ok := readWorker(answer.Data, c.o.Now()); ok && len(list) < mostWorkers {
				list = append(list, w)
				continue
			}
			if answer.Header.Get("Status") == "503" { // no worker is there
				return nil, nil
			}
		case <-over.C:
			slices.SortFunc(list, func(a, b Worker) int {
				return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Instance, b.Instance))
			})
			return list, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
