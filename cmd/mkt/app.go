package main

import (
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"mkt/fetch/provider"
	"mkt/fetch/provider/all"
	"mkt/serve"
)

// app is what every command shares: the world it speaks to and the global
// settings, resolved.
type app struct {
	in        io.Reader
	out, errs io.Writer
	now       func() time.Time
	version   string
	adapter   func(name string) (provider.Provider, bool)
	fleeting  bool // what the data root holds need not outlive a power cut

	set    *settings
	config string // mkt.yaml

	data    string
	tenants string
	keys    keys
	service serve.Service // how the service presents itself to clients

	output    choice // text, json
	logLevel  choice
	logFormat choice
	log       *slog.Logger

	final finality   // which accounts are revoked for good
	bars  bool       // progress bars may be drawn: one run at a time
	tells sync.Mutex // held while a report is printed
}

// newApp returns an environment in which every setting has its default.
func newApp(in io.Reader, out, errs io.Writer, now func() time.Time, version string) *app {
	return &app{in: in, out: out, errs: errs, now: now, version: version, adapter: all.Lookup, set: newSettings(), log: slog.New(slog.DiscardHandler),
		output:    oneOf("text", "text", "json"),
		logLevel:  oneOf("", "off", "debug", "info", "warn", "error"),
		logFormat: oneOf("text", "text", "json")}
}

// json tells whether a script reads the output.
func (a *app) json() bool { return a.output.value == "json" }

// logOff is above every level. It is the default of commands that do one thing
// and return: their one message says what failed, and a log line beside it
// would say it twice.
const logOff = slog.LevelError + 1

// openLog sets up the log once the settings are resolved; level is the default.
func (a *app) openLog(level slog.Level) {
	switch a.logLevel.value {
	case "off":
		level = logOff
	case "debug":
		level = slog.LevelDebug
	case "info":
		level = slog.LevelInfo
	case "warn":
		level = slog.LevelWarn
	case "error":
		level = slog.LevelError
	}
	o := &slog.HandlerOptions{Level: level}
	if a.logFormat.value == "json" {
		a.log = slog.New(slog.NewJSONHandler(a.errs, o))
		return
	}
	a.log = slog.New(slog.NewTextHandler(a.errs, o))
}

// onTerminal tells whether a person looks at w.
func onTerminal(w any) bool {
	if o, is := w.(*output); is {
		w = o.to
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
