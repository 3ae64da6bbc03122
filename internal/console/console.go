// Package console is the browser's view of an installation. It reads the data root and
// tenants.yaml, and changes nothing.
//
// Pages are rendered on the server and work without their scripts, which only refresh
// parts of a page and save clicks. Each section of the navigation has a package with its pages and
// their templates.
package console

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"mkt/internal/console/access"
	"mkt/internal/console/api"
	"mkt/internal/console/audit"
	"mkt/internal/console/choice"
	"mkt/internal/console/cycles"
	"mkt/internal/console/fixtures"
	"mkt/internal/console/frame"
	"mkt/internal/console/live"
	"mkt/internal/console/overview"
	"mkt/internal/console/query"
	"mkt/internal/console/receipts"
	"mkt/internal/console/search"
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
	// Requests is the folder that serve writes the newest requests of accounts to.
	Requests string
	Log      *slog.Logger
	// Command is how a command line for this installation begins; "" is "mkt".
	Command  string
	Doctor   func(context.Context) doctor.Report // checks the installation
	Access   access.Rules
	LogFiles commitlog.Files // of the transparency log; the key itself is not opened
	Notice   func() string   // see [frame.Options]
	Examples func(context.Context) ([]overview.Example, error)
	// StartAPI starts an API server on loopback until ctx is done, and returns its address
	// and a function with the token of an account. The documentation's examples are tried
	// on it. It is called when somebody tries the first one.
	StartAPI func(ctx context.Context) (baseURL string, token func(account string) (string, bool), err error)
}

// Console answers the requests of browsers. It is safe for concurrent use.
type Console struct {
	Options
	gate access.Gate
	mux  *http.ServeMux
	stop context.CancelFunc // of the work in the background
}

// New returns a console.
func New(o Options) (*Console, error) {
	o.Command = cmp.Or(o.Command, "mkt")
	log := receipts.Log{Data: o.Data, Files: o.LogFiles}
	f, err := frame.New(frame.Options{Now: o.Now, Version: o.Version, Data: o.Data, Command: o.Command, Log: o.Log, Notice: o.Notice,
		HasReceipts: func() bool { return log.Exists() || log.HasKey() }},
		overview.Templates, fixtures.Templates, live.Templates, cycles.Templates, audit.Templates, query.Templates, receipts.Templates, api.Templates)
	if err != nil {
		return nil, err
	}
	c := &Console{Options: o, gate: access.Gate{Rules: o.Access, Now: o.Now}, mux: http.NewServeMux()}
	running, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.routes(running, f, log)
	return c, nil
}

// routes registers every page.
func (c *Console) routes(running context.Context, f *frame.Frame, log receipts.Log) {
	handle := func(pattern string, h frame.Handler) { c.mux.HandleFunc(pattern, f.Handle(h)) }
	reader, lists := &choice.Reader{Data: c.Data, Tenants: c.Tenants, Now: c.Now}, &fixtures.Lists{}
	c.mux.Handle("GET /static/", staticFiles())

	search := &search.Pages{Reader: reader, Frame: f, Requests: c.Requests}
	c.mux.HandleFunc("GET /search", search.Search)
	handle("GET /requests/{account}", search.Asked)

	handle("GET /{$}", (&overview.Pages{Reader: reader, Doctor: c.Doctor, Examples: c.Examples}).Overview)

	fixtures := fixtures.New(reader, lists, log)
	handle("GET /fixtures", fixtures.Fixtures)
	handle("GET /fixtures/{account}", fixtures.Fixtures)
	handle("GET /fixtures/{account}/{fixture}", fixtures.Fixture)
	handle("GET /fixtures/{account}/{fixture}/{market}", fixtures.Market)
	handle("GET /explain/{account}/{product}/{target...}", fixtures.Explain)

	live := live.New(reader, log)
	handle("GET /live", live.Live)
	handle("GET /live/{account}", live.Live)
	handle("GET /live/{account}/{fixture}", live.Match)

	cycles := cycles.New(reader, lists)
	handle("GET /cycles", cycles.Cycles)
	handle("GET /cycles/{account}/{product}", cycles.Cycles)
	handle("GET /cycles/{account}/{product}/{moment}", cycles.Cycle)
	handle("GET /cycles/{account}/{product}/{moment}/answers", cycles.Answers)
	handle("GET /cycles/{account}/{product}/{moment}/answers/{number}", cycles.Answer)
	handle("GET /cycles/{account}/{product}/{moment}/mapping", cycles.Mapping)

	audit := audit.New(reader, f, running)
	handle("GET /audit", audit.Audit)
	handle("GET /audit/{account}/{product}", audit.Audit)
	c.mux.HandleFunc("GET /audit/{account}/{product}/check", audit.BeginCheck)
	handle("GET /diff/{account}/{product}", audit.Difference)

	query := &query.Pages{Reader: reader, Frame: f}
	handle("GET /query", query.Query)
	c.mux.HandleFunc("GET /query.csv", query.CSV)

	receipts := &receipts.Pages{Reader: reader, Frame: f, Log: log, Stored: c.Stored}
	handle("GET /receipts", receipts.Receipts)
	c.mux.HandleFunc("GET /receipts/{account}/{fixture}/{market}/{selection}", receipts.Receipt)
	c.mux.HandleFunc("GET /receipts/{account}/{fixture}", receipts.Receipt)

	c.mux.HandleFunc("GET /openapi.yaml", api.Contract)
	c.mux.HandleFunc("GET /openapi-history.yaml", api.Contract)
	c.mux.HandleFunc("GET /asyncapi.yaml", api.Contract)
	c.mux.HandleFunc("GET /docs/{name}", api.Guide)
	api := &api.Pages{Reader: reader, Frame: f, Running: running, Start: c.StartAPI}
	c.mux.HandleFunc("GET /api", api.Reference)
	c.mux.HandleFunc("GET /try/{account}/{rest...}", api.Try)

	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.Fail(w, r, frame.NotFound("There is no page at %s.", r.URL.Path))
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
