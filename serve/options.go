package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"mkt/internal/cluster"
	"mkt/publish/football"
	"mkt/serve/account"
	"mkt/serve/admin"
	"mkt/serve/asof"
	"mkt/serve/replay"
	"mkt/serve/requests"
)

// Default folders that the server writes to: [UsageFolder] below the data root for the
// usage counters, and below that [LoadsFolder] for notes about loads in progress (package
// quarantine) and [requests.Folder] for the newest requests of each account.
const (
	UsageFolder = "usage"
	LoadsFolder = "loads"
)

// Options of a server. A zero field has the default that its comment names.
type Options struct {
	Listen   string // address; port 0 means a free port
	DataDir  string // the data root; nothing is written there except UsageDir's default
	CacheDir string // private folder for the engine's files; "" = a temporary one
	UsageDir string // the folder for everything that the server writes: usage counters, the newest requests, notes about loads; "" = usage below DataDir

	// Replica is the name of this process among those that serve the same accounts: each writes
	// its own files of usage counters. "" = the host's name and the port.
	Replica string
	Limits  cluster.Address // the server that counts requests and sockets over all replicas; zero = they are counted in this process

	// Clock, if it shows the past, answers as of its time: from the publications up to then. The
	// server then listens on loopback only and does not count usage. Accounts are the
	// current ones, with their terms as of then. nil = the present.
	Clock  *asof.Clock
	Replay replay.Options // how a clock of the past moves

	// Fetch copies publications from elsewhere to the data root, for a client that may have
	// seen them at another replica; nil if everything is published to the data root.
	Fetch func(ctx context.Context, clientID string, p football.Product) error

	// Extensions are those of [account.Extensions] that are offered to the accounts that have them.
	Extensions []string

	Accounts *account.Registry
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = none
	Poll     time.Duration    // interval of looking for new snapshots, half of that for live ones; 0 = a second
	Service  Service          // description of the service in /status
	Words    Words            // of the providers, for /schema
	Admin    *admin.Server    // shows metrics and readiness; the caller must close it; nil = none
	Realtime Realtime

	Connections           int            // maximum; 0 = 40,000, or fewer if the process may not open as many files
	ConnectionsPerAddress int            // maximum of one address; 0 = three quarters of Connections
	TrustedProxies        []netip.Prefix // whose X-Forwarded-For is trusted, and which are not limited as one address

	// DrainDelay is how long requests are still answered normally after ctx has ended and
	// Admin reports that the server is not ready: as long as a load balancer needs to
	// notice. It is part of the half minute that a shutdown may take; 0 = none.
	DrainDelay time.Duration

	readTime     time.Duration // of a request's body; 0 = 10 s. For tests
	limitsBudget time.Duration // of a command to the server of the limits; 0 = limits.CommandTime. For tests

	// Ready, if not nil, is called once with the base URL when requests are accepted and
	// everything published has been loaded (or ten seconds have passed).
	Ready func(baseURL string)
}

// Service is the description of the service in /status.
type Service struct {
	Name         string // "" = Football Markets and Live Intelligence Service
	SupportEmail string // "" = support@localhost
}

// Words are the providers' own words, which appear unchanged in answers: see the fields
// with the same names in /schema.
type Words struct {
	Sections        []string
	ProviderMetrics []string
}

// Realtime are the settings of the socket. A zero field has the default that its comment
// names.
type Realtime struct {
	Tick           time.Duration // between ticks; 0 = 2 s
	PingInterval   time.Duration // 0 = 10 s
	PingTimeout    time.Duration // 0 = 10 s
	ConnectTimeout time.Duration // for the handshake; 0 = 5 s
	UpgradeTimeout time.Duration // from polling to websocket; 0 = 10 s
	WriteTimeout   time.Duration // of a write without progress; 0 = 10 s
	Connections    int           // maximum of one account; 0 = 8
	Sessions       int           // maximum over all accounts; 0 = 20,000
	Pending        int           // maximum of sessions that have not sent their token; 0 = 2,000, or fewer if Options.Connections is small
	PendingOfPeer  int           // the same for one address; 0 = half of Pending
	QueueBytes     int           // that may wait for one connection before it is dropped; 0 = 1 MiB
	WebsocketOnly  bool          // no polling, for replicas without sticky sessions
	Uncompressed   bool          // do not compress the messages of websockets
	Channels       []string      // to offer; nil = changes and live
}

// RequestsDir is the folder of the newest requests below that of the usage counters, see [UsageFolder].
func RequestsDir(usageDir string) string { return filepath.Join(usageDir, requests.Folder) }

func (o *Options) usageDir() string { return cmp.Or(o.UsageDir, filepath.Join(o.DataDir, UsageFolder)) }

// notesDir returns the folder for notes about loads, or "" if none are to be written: a
// view of the past is not the service.
func (o *Options) notesDir() string {
	if o.isPast() {
		return ""
	}
	return filepath.Join(o.usageDir(), LoadsFolder)
}

// ErrNotLoopback reports that the past would be served on an address that other machines
// can reach.
var ErrNotLoopback = errors.New("past data is served on a loopback address only, such as 127.0.0.1")

func (o *Options) isPast() bool { return o.Clock != nil && o.Clock.IsPast() }

func (o *Options) checkLoopback(a net.Addr) error {
	if tcp, ok := a.(*net.TCPAddr); o.isPast() && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("serve: %s: %w", a, ErrNotLoopback)
	}
	return nil
}
