// Package console is the browser's view of an installation. It reads the data root and
// tenants.yaml, and changes nothing.
//
// Pages are rendered on the server and work without their scripts, which only refresh
// parts of a page and save clicks.
package console

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"mkt/internal/console/access"
	"mkt/internal/console/background"
	"mkt/internal/console/inplay"
	"mkt/internal/dataset"
	"mkt/internal/evidence/doctor"
	"mkt/internal/listen"
	"mkt/internal/receipts/commitlog"
)

// Options are the options of a console.
type Options struct {
	Now     func() time.Time
	Version string // of mkt
	Data    string // data root
	Tenants string // tenants.yaml
	Stored  bool   // publications are in an object store
	Log     *slog.Logger
	// Command is how a command line for this installation begins; "" is "mkt".
	Command  string
	Doctor   func(context.Context) doctor.Report // checks the installation
	Access   access.Rules
	LogFiles commitlog.Files // of the transparency log; the key itself is not opened
	// StartAPI starts an API server on loopback until ctx is done, and returns its address
	// and a function with the token of an account. The documentation's examples are tried
	// on it. It is called when somebody tries the first one.
	StartAPI func(ctx context.Context) (baseURL string, token func(account string) (string, bool), err error)
}

// Console answers the requests of browsers. It is safe for concurrent use.
type Console struct {
	Options
	gate  access.Gate
	mux   *http.ServeMux
	pages map[string]*page

	accounts      accountsCache
	fixtureLists  fixtureLists
	findingsCache findingsCache

	api        apiServer
	checks     checks
	comparing  sync.Mutex      // held during a comparison, which reads two snapshots
	running    context.Context // until the console stops
	stop       context.CancelFunc
	cycleLines cycleLines
	traces     *background.Reader[traceKey, inplay.Trace]
	mappings   *background.Reader[mappingKey, problems]
	departed   *background.Reader[dataset.Dataset, []goneRow]
}

// New returns a console.
func New(o Options) (*Console, error) {
	o.Command = cmp.Or(o.Command, "mkt")
	c := &Console{Options: o, gate: access.Gate{Rules: o.Access, Now: o.Now}, mux: http.NewServeMux()}
	c.traces = background.New[traceKey, inplay.Trace](tracesKept)
	c.mappings = background.New[mappingKey, problems](mappingsKept)
	c.departed = background.New[dataset.Dataset, []goneRow](maxFixtureLists)
	c.running, c.stop = context.WithCancel(context.Background())
	var err error
	if c.pages, err = parsePages(o.Command); err != nil {
		return nil, err
	}
	c.routes()
	return c, nil
}

// routes registers every page.
func (c *Console) routes() {
	c.mux.Handle("GET /static/", staticFiles())
	c.handle("GET /{$}", c.overview)
	c.handle("GET /cycles", c.cycles)
	c.handle("GET /cycles/{account}/{product}", c.cycles)
	c.handle("GET /cycles/{account}/{product}/{moment}", c.cycle)
	c.handle("GET /cycles/{account}/{product}/{moment}/answers", c.answers)
	c.handle("GET /cycles/{account}/{product}/{moment}/answers/{number}", c.answer)
	c.handle("GET /cycles/{account}/{product}/{moment}/mapping", c.mapping)
	c.handle("GET /audit", c.audit)
	c.handle("GET /audit/{account}/{product}", c.audit)
	c.mux.HandleFunc("GET /audit/{account}/{product}/check", c.beginCheck)
	c.handle("GET /diff/{account}/{product}", c.difference)
	c.mux.HandleFunc("GET /api", c.reference)
	c.mux.HandleFunc("GET /openapi.yaml", contract)
	c.mux.HandleFunc("GET /openapi-history.yaml", contract)
	c.mux.HandleFunc("GET /asyncapi.yaml", contract)
	c.mux.HandleFunc("GET /docs/{name}", guide)
	c.mux.HandleFunc("GET /try/{account}/{rest...}", c.try)
	c.handle("GET /live", c.live)
	c.handle("GET /live/{account}", c.live)
	c.handle("GET /live/{account}/{fixture}", c.match)
	c.handle("GET /fixtures", c.fixtures)
	c.handle("GET /fixtures/{account}", c.fixtures)
	c.handle("GET /fixtures/{account}/{fixture}", c.fixture)
	c.handle("GET /fixtures/{account}/{fixture}/{market}", c.market)
	c.handle("GET /explain/{account}/{product}/{target...}", c.explain)
	c.handle("GET /receipts", c.receipts)
	c.mux.HandleFunc("GET /receipts/{account}/{fixture}/{market}/{selection}", c.receipt)
	c.mux.HandleFunc("GET /receipts/{account}/{fixture}", c.receipt)
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, notFound("There is no page at %s.", r.URL.Path))
	})
}

func (c *Console) handle(pattern string, h handler) {
	c.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v, err := h(r)
		if err != nil {
			c.fail(w, r, err)
			return
		}
		c.render(w, r, http.StatusOK, v)
	})
}

// ServeHTTP implements [http.Handler].
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	if !c.gate.Admits(w, r) {
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The console only reads.", http.StatusMethodNotAllowed)
		return
	}
	c.mux.ServeHTTP(w, r)
}

// secure sets the headers with which neither another site nor a provider's text can do
// anything on the page.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "+
		"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// Times within which a browser must have sent its request and taken the answer.
const (
	readTime  = 10 * time.Second
	writeTime = 2 * time.Minute // a comparison of two large snapshots takes a while
	idleTime  = 2 * time.Minute
	stopTime  = 5 * time.Second
	maxHeader = 32 << 10
)

// Serve answers until ctx is done. It closes the listener.
func (c *Console) Serve(ctx context.Context, l net.Listener) error {
	defer c.stop()
	server := &http.Server{
		Handler: c, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	if c.Access.Certificate != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*c.Access.Certificate}, MinVersion: tls.VersionTLS12})
	}
	if err := listen.ServeUntil(ctx, server, l, stopTime); err != nil {
		return fmt.Errorf("console: %w", err)
	}
	return nil
}

// A handler makes the content of a page. Its error is shown as a page of its own.
type handler func(r *http.Request) (view, error)
