package coordination

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Use is the purpose of a connection.
type Use int

// The uses of a connection.
const (
	ForLeases  Use = iota // takes leases, and makes the bucket if there is none
	ForNews               // announces or listens only; JetStream is not needed
	ForLooking            // changes nothing
)

// Options are the options of a connection.
type Options struct {
	Address Address
	Use     Use
	// Name says to people who this is: the machine, or the machine and the process.
	Name string
	// Version is the version of this binary, for people.
	Version string
	// Installation is the fingerprint of the id key. It reveals two installations that use the
	// same servers and the same cluster name by mistake. If it is "", nothing is compared.
	Installation string
	Now          func() time.Time // required
	Log          *slog.Logger     // nil: discarded
	// Random spreads the attempts to connect, from 0 to 1; nil = math/rand.
	Random func() float64
	// Dialer makes the connections, for tests; nil: those of the operating system.
	Dialer nats.CustomDialer
}

// Conn is a connection to NATS. It connects in the background and reconnects for ever, so a
// command may start before NATS does. It is safe for concurrent use.
type Conn struct {
	o        Options
	nc       *nats.Conn
	js       jetstream.JetStream
	instance string      // of this process, unique
	denied   atomic.Bool // the server reported a missing permission
	stop     context.CancelFunc
	stopped  chan struct{}
	nudge    chan struct{} // asks for a check at once

	mu        sync.Mutex // guards the fields below
	lastError error      // of the newest attempt to connect
	trouble   *Trouble   // nil if leases can be taken
	first     bool       // no check has ended yet
	bucket    bucketState
	marks     map[string]mark // by key: the mark of this process's last release
	held      map[string]bool // nonces of the leases of this process
	watchers  map[int]func()
	watcherID int
	news      map[int]func() // called when news may have been missed
	member    *Member
	stats     Stats
}

// bucketState is the result of the newest check.
type bucketState struct {
	stream     jetstream.Stream
	created    time.Time // by the server
	freshUntil time.Time // by this clock: leases from before may be in force until then
	lastSeq    uint64
	replicas   int
	difference time.Duration // the server's clock less this one
	compared   bool
	grown      time.Time // the last attempt to replicate it
}

// Stats counts what happened over a connection.
type Stats struct {
	Held       int    // leases now
	Taken      uint64 // leases taken
	Busy       uint64 // refused because somebody else held them
	Failed     uint64 // attempts without an answer, or refused for another reason
	Lost       uint64 // lost before they were released
	Reconnects uint64
	Announced  uint64
	// Difference is the clock of the servers less this one; zero unless Compared.
	Difference time.Duration
	Compared   bool
	Replicas   int    // of the leases; 0 if not known
	Server     string // name of the connected server
}

// terms are the times of a lease. A worker that cannot keep its lease gives it up before another
// can take it. The run must end in the time between.
type terms struct {
	free   time.Duration // a lease without a renewal is free after that
	keep   time.Duration // between two renewals
	giveUp time.Duration // after the last renewal that certainly arrived
}

// A long lease outlasts the election of another leader in NATS, which takes up to nine seconds; a
// short run has ended by then, and its account is due again.
var (
	longTerms  = terms{free: leaseFor, keep: 3 * time.Second, giveUp: 10 * time.Second}
	shortTerms = terms{free: 8 * time.Second, keep: 2 * time.Second, giveUp: 6 * time.Second}
)

const (
	leaseFor   = 13 * time.Second // the longest time for which a lease is in force without a renewal
	checkEvery = 2 * time.Second
	askFor     = 3 * time.Second         // one request
	renewFor   = 1500 * time.Millisecond // one renewal: NATS never answers a request from before the election of a leader
	askAgain   = 500 * time.Millisecond  // after a renewal that failed
	silentFor  = 5 * time.Second         // a server silent for longer counts as cut off
)

// ClockTolerance is the difference between two clocks above which it is reported. A worker whose
// clock differs more from the servers' takes no lease: its publications would be dated in the
// future or the past.
const ClockTolerance = 2 * time.Second

// Open opens a connection. It does not wait for a server; an error is a fault of the options.
func Open(o Options) (*Conn, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Random == nil {
		o.Random = mathrand.Float64
	}
	var id [8]byte
	rand.Read(id[:])
	c := &Conn{o: o, instance: hex.EncodeToString(id[:]), stopped: make(chan struct{}), nudge: make(chan struct{}, 1), first: true,
		marks: map[string]mark{}, held: map[string]bool{}, watchers: map[int]func(){}, news: map[int]func(){}}
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	if c.nc, err = nats.Connect(strings.Join(o.Address.servers, ","), options...); err != nil {
		return nil, fmt.Errorf("work %s: %w", o.Address, c.unreachable(err))
	}
	if c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(askFor)); err != nil {
		c.nc.Close()
		return nil, fmt.Errorf("work %s: %w", o.Address, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	go c.watch(ctx)
	return c, nil
}

func (c *Conn) options() ([]nats.Option, error) {
	a := c.o.Address
	list := []nats.Option{
		nats.Name("mkt " + c.o.Name), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(func(int) time.Duration {
			return 500*time.Millisecond + time.Duration(c.o.Random()*float64(500*time.Millisecond))
		}),
		nats.ReconnectBufSize(-1), nats.Timeout(askFor), nats.PingInterval(askFor), nats.MaxPingsOutstanding(2),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { c.setLastError(err) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.setLastError(err); c.checkNow() }),
		nats.ConnectHandler(func(*nats.Conn) { c.checkNow() }),
		nats.ReconnectHandler(func(*nats.Conn) { c.reconnected() }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				c.denied.Store(true)
			}
		}),
	}
	if c.o.Dialer != nil {
		list = append(list, nats.SetCustomDialer(c.o.Dialer))
	}
	switch {
	case a.user != "" && a.token:
		list = append(list, nats.Token(a.user))
	case a.user != "":
		list = append(list, nats.UserInfo(a.user, a.password))
	}
	for _, file := range []string{a.creds, a.ca} {
		if file == "" {
			continue
		}
		if _, err := os.ReadFile(file); err != nil {
			return nil, fmt.Errorf("work %s: %s cannot be read: %w", a, file, causeOf(err))
		}
	}
	if a.creds != "" {
		list = append(list, nats.UserCredentials(a.creds))
	}
	if a.ca != "" {
		list = append(list, nats.RootCAs(a.ca))
	}
	return list, nil
}

// causeOf returns the error without the path, which the caller names.
func causeOf(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func isCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	return errors.As(err, &verification) || errors.As(err, &authority)
}

// Close ends the connection. The holders of leases release them first.
func (c *Conn) Close() {
	c.stop()
	<-c.stopped
	c.nc.Close()
}

func (c *Conn) setLastError(err error) {
	if err == nil {
		return
	}
	c.mu.Lock()
	c.lastError = err
	c.mu.Unlock()
}

func (c *Conn) checkNow() {
	select {
	case c.nudge <- struct{}{}:
	default:
	}
}

// reconnected looks at everything again: news may have been missed.
func (c *Conn) reconnected() {
	c.denied.Store(false)
	c.mu.Lock()
	c.stats.Reconnects++
	member := c.member
	var listeners []func()
	for _, l := range c.news {
		listeners = append(listeners, l)
	}
	c.mu.Unlock()
	if member != nil {
		member.reconnected()
	}
	for _, missed := range listeners {
		missed()
	}
	c.checkNow()
}

// Trouble returns the reason why no lease can be taken, or nil.
func (c *Conn) Trouble() *Trouble {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first {
		return &Trouble{Code: Unreachable, What: fmt.Sprintf("work %s: the connection is being made", c.o.Address)}
	}
	return c.trouble
}

// Stats returns the counts so far.
func (c *Conn) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Server = c.nc.ConnectedServerName()
	s.Difference, s.Compared, s.Replicas = c.bucket.difference, c.bucket.compared, c.bucket.replicas
	return s
}

// Wait waits until leases can be taken. It returns the [Trouble] when ctx ends, or at once if
// waiting cannot help.
func (c *Conn) Wait(ctx context.Context) error {
	changed := make(chan struct{}, 1)
	defer c.OnChange(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for {
		trouble := c.Trouble()
		if trouble == nil {
			return nil
		}
		if !trouble.Temporary() {
			return trouble
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return c.orNil(c.Trouble())
		}
	}
}

// orNil returns an error that is nil if the trouble is.
func (c *Conn) orNil(t *Trouble) error {
	if t == nil {
		return nil
	}
	return t
}

// OnChange calls do after each change of [Conn.Trouble], until end is called.
func (c *Conn) OnChange(do func()) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.watcherID
	c.watcherID++
	c.watchers[id] = do
	return func() {
		c.mu.Lock()
		delete(c.watchers, id)
		c.mu.Unlock()
	}
}

// watch checks the servers and the bucket until ctx ends.
func (c *Conn) watch(ctx context.Context) {
	defer close(c.stopped)
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		trouble := c.check(ctx)
		if ctx.Err() != nil {
			return
		}
		c.setTrouble(trouble)
		wait := tick.C
		var young *time.Timer
		if trouble != nil && trouble.Code == Starting {
			young = time.NewTimer(trouble.Until.Sub(c.o.Now()))
			wait = young.C
		}
		select {
		case <-wait:
		case <-c.nudge:
		case <-ctx.Done():
			return
		}
		if young != nil {
			young.Stop()
		}
	}
}

func (c *Conn) setTrouble(t *Trouble) {
	c.mu.Lock()
	before, first := c.trouble, c.first
	c.trouble, c.first = t, false
	var watchers []func()
	changed := first || (t == nil) != (before == nil) || t != nil && t.What != before.What
	if changed {
		for _, do := range c.watchers {
			watchers = append(watchers, do)
		}
	}
	c.mu.Unlock()
	if !changed {
		return
	}
	switch {
	case t != nil && t.Code == Starting:
		c.o.Log.Info(t.What)
	case t != nil && c.o.Use == ForLeases:
		c.o.Log.Error(t.What+": no cycle begins meanwhile", "fix", t.Next)
	case t != nil:
		c.o.Log.Warn(t.What+": no news arrives meanwhile", "fix", t.Next)
	case c.o.Use != ForLeases:
		c.o.Log.Info("work: connected", "server", c.nc.ConnectedServerName())
	case before != nil && before.Code != Starting:
		c.o.Log.Info("work: leases can be taken again", "server", c.nc.ConnectedServerName())
	default:
		c.o.Log.Info("work: leases can be taken", "server", c.nc.ConnectedServerName())
	}
	for _, do := range watchers {
		do()
	}
}

// disconnected returns why there is no connection, nil if there is one.
func (c *Conn) disconnected() *Trouble {
	if c.nc.IsConnected() {
		return nil
	}
	c.mu.Lock()
	err := c.lastError
	c.mu.Unlock()
	return c.unreachable(err)
}

// check returns the reason why no lease can be taken, or nil. It makes the bucket if there is
// none, and compares the clocks.
func (c *Conn) check(ctx context.Context) *Trouble {
	if trouble := c.disconnected(); trouble != nil {
		return trouble
	}
	if c.o.Use == ForNews {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	asked := c.o.Now()
	stream, err := c.js.Stream(ctx, c.o.Address.stream())
	if errors.Is(err, jetstream.ErrStreamNotFound) && c.o.Use == ForLooking {
		return nil
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = c.makeBucket(ctx)
		asked = c.o.Now()
	}
	if err != nil {
		return c.ofJetStream(err)
	}
	c.denied.Store(false)
	if isCutOff(stream.CachedInfo().Cluster) {
		return c.noQuorum()
	}
	return c.note(ctx, stream, asked)
}

// isCutOff reports whether too few servers of the bucket see each other to store anything. A
// former leader still answers questions about the bucket until it notices. So does any server
// that knows no leader.
func isCutOff(cluster *jetstream.ClusterInfo) bool {
	if cluster == nil {
		return false // there is one server only
	}
	if cluster.Leader == "" {
		return true
	}
	heard := 1
	for _, other := range cluster.Replicas {
		if other.Active <= silentFor {
			heard++
		}
	}
	return 2*heard <= 1+len(cluster.Replicas)
}

// makeBucket makes the bucket of the leases. Its sequence numbers begin at the current time in
// microseconds, so that two buckets never share one: see sameBucket.
func (c *Conn) makeBucket(ctx context.Context) (jetstream.Stream, error) {
	config := jetstream.StreamConfig{
		Name: c.o.Address.stream(), Subjects: []string{"$KV." + c.o.Address.bucket() + ".>"},
		Description: "leases of the cycles of mkt; can be deleted while no worker runs",
		Storage:     jetstream.MemoryStorage, Replicas: 3, MaxAge: leaseFor, MaxMsgsPerSubject: 1, MaxMsgSize: 4096, Duplicates: leaseFor,
		Discard: jetstream.DiscardNew, DenyDelete: true, AllowRollup: true, AllowMsgTTL: true, FirstSeq: uint64(c.o.Now().UnixMicro()),
	}
	if c.o.Installation != "" {
		config.Metadata = map[string]string{"mkt-installation": c.o.Installation}
	}
	stream, err := c.js.CreateStream(ctx, config)
	if cannotReplicate(err) {
		config.Replicas = 1
		stream, err = c.js.CreateStream(ctx, config)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another worker was faster
		return c.js.Stream(ctx, c.o.Address.stream())
	}
	return stream, err
}

// cannotReplicate reports whether there are fewer than three servers for a bucket.
func cannotReplicate(err error) bool {
	const noPeers, insufficient, notClustered = 10005, 10023, 10074
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == noPeers || api.ErrorCode == insufficient || api.ErrorCode == notClustered)
}

// note records the state of the bucket, and returns the reason why no lease can be taken from it.
func (c *Conn) note(ctx context.Context, stream jetstream.Stream, asked time.Time) *Trouble {
	info, now := stream.CachedInfo(), c.o.Now()
	c.mu.Lock()
	b := &c.bucket
	if !b.created.Equal(info.Created) {
		wait := leaseFor - min(max(info.TimeStamp.Sub(info.Created), 0), leaseFor)
		if !b.created.IsZero() {
			wait = leaseFor // it was lost meanwhile; the servers' clocks count for nothing here
		}
		*b = bucketState{created: info.Created, freshUntil: now.Add(wait), grown: now}
	}
	b.stream, b.lastSeq, b.replicas = stream, info.State.LastSeq, info.Config.Replicas
	var clock *Trouble
	if took := now.Sub(asked); !info.TimeStamp.IsZero() {
		b.difference, b.compared = info.TimeStamp.Sub(asked.Add(took/2)).Round(time.Millisecond), true
		if b.difference.Abs()-took/2 > ClockTolerance { // even if one direction took all of the time
			clock = &Trouble{Code: Clock, What: fmt.Sprintf("work %s: this clock is more than %s %s that of the NATS servers", c.o.Address, ClockTolerance, aheadOrBehind(b.difference)),
				Next: "set it by NTP (timedatectl status), or that of the servers; leases are taken again once they agree"}
		}
	}
	grow := c.o.Use == ForLeases && b.replicas < 3 && now.Sub(b.grown) > time.Minute
	if grow {
		b.grown = now
	}
	if b.freshUntil.Sub(now) > leaseFor { // this clock was set back
		b.freshUntil = now.Add(leaseFor)
	}
	fresh, until := b.freshUntil.Sub(now), b.freshUntil
	foreign := "" // owner of the bucket, if it is another installation
	if owner := info.Config.Metadata["mkt-installation"]; owner != "" && c.o.Installation != "" && owner != c.o.Installation {
		foreign = owner
	}
	member := c.member
	c.mu.Unlock()
	if grow {
		c.change(ctx, info.Config, func(s *jetstream.StreamConfig) { s.Replicas = 3 })
	}
	if trouble := member.refused(); trouble != nil {
		return trouble
	}
	if foreign != "" && c.o.Use == ForLeases {
		if trouble := c.foreignTo(foreign, member); trouble != nil {
			return trouble
		}
		c.change(ctx, info.Config, func(s *jetstream.StreamConfig) {
			s.Metadata = map[string]string{"mkt-installation": c.o.Installation}
		})
	}
	if clock != nil && c.o.Use == ForLeases {
		return clock
	}
	if fresh > 0 && c.o.Use == ForLeases {
		return &Trouble{Code: Starting, Until: until, What: fmt.Sprintf("work %s: the leases in NATS are new; cycles begin in at most %s, when a lease that NATS may have lost is certainly over", c.o.Address, leaseFor)}
	}
	return nil
}

// aheadOrBehind says where this clock is, given the servers' clock less this one.
func aheadOrBehind(difference time.Duration) string {
	if difference < 0 {
		return "ahead of"
	}
	return "behind"
}

// change changes the settings of the bucket. A refused change is tried again later.
func (c *Conn) change(ctx context.Context, config jetstream.StreamConfig, edit func(*jetstream.StreamConfig)) {
	edit(&config)
	if _, err := c.js.UpdateStream(ctx, config); err != nil {
		c.o.Log.Debug("work: the bucket stays as it is", "error", err)
	}
}

// sameBucket reports whether a message went to the bucket of the newest check. A bucket made
// meanwhile numbers its messages from another time in microseconds, far away.
func (c *Conn) sameBucket(sequence uint64) bool {
	const atMost = 1 << 20 // messages between two checks
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(sequence, c.bucket.lastSeq)-min(sequence, c.bucket.lastSeq) < atMost
}
