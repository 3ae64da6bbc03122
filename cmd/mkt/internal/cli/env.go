// Package cli has what all commands share: the settings, the output, the exit codes, the accounts
// and the data root.
package cli

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"mkt/internal/accounts"
	"mkt/internal/cluster/store"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/layout"
)

// Env is the environment of every command: the streams, the clock, and the global settings.
type Env struct {
	In        io.Reader
	Out, Errs io.Writer
	Now       func() time.Time
	Version   string // of this binary
	Settings  *Settings

	Config  string // mkt.yaml
	Data    string // data root
	Tenants string // tenants.yaml
	// StoreURL is the address of the object store; "" if publications are on this machine
	// only.
	StoreURL string
	// SharedTenants: the accounts are in the object store, and Tenants is a copy.
	SharedTenants bool
	Log           *slog.Logger

	objects opened
	// Accounts has the entries of Tenants, for runs that look whether an account is still listed.
	Accounts  accounts.Latest
	output    Choice // text, json
	logLevel  Choice
	logFormat Choice
	helpAll   bool // the help page of mkt is the whole list
}

// NewEnv returns an environment in which every setting has its default.
func NewEnv(in io.Reader, out, errs io.Writer, now func() time.Time, version string) *Env {
	terminal.ShareScreen(out, errs)
	return &Env{In: in, Out: out, Errs: errs, Now: now, Version: version, Settings: NewSettings(), Log: slog.New(slog.DiscardHandler),
		output:    OneOf("text", "text", "json"),
		logLevel:  OneOf("", "off", "debug", "info", "warn", "error"),
		logFormat: OneOf("text", "text", "json")}
}

// JSON reports whether the output is for scripts.
func (env *Env) JSON() bool { return env.output.Value == "json" }

// ExpectOutput sets the format of an error in the command line itself, which is printed before the
// flags are read.
func (env *Env) ExpectOutput(args []string) {
	asked := os.Getenv(envName("output"))
	for i, word := range args {
		if value, ok := strings.CutPrefix(word, "--output="); ok {
			asked = value
		} else if word == "--output" && i+1 < len(args) {
			asked = args[i+1]
		}
	}
	if asked == "json" {
		env.output.Value = asked
	}
}

// Encode prints a value as a line of JSON.
func (env *Env) Encode(v any) error {
	line, err := JSONLine(v)
	if err == nil {
		_, err = env.Out.Write(line)
	}
	return err
}

// Answer prints a value as a line of JSON for scripts. For people text prints it.
func (env *Env) Answer(v any, text func(io.Writer) error) error {
	if env.JSON() {
		return env.Encode(v)
	}
	return text(env.Out)
}

// AnswerLine is [Env.Answer] with a text that [printable.Fprintf] prints.
func (env *Env) AnswerLine(v any, format string, args ...any) error {
	return env.Answer(v, func(out io.Writer) error {
		_, err := printable.Fprintf(out, format, args...)
		return err
	})
}

// JSONLine returns a value as a line of JSON. Its times have milliseconds and so sort as texts.
func JSONLine(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(layout.FixTimes(data), '\n'), err
}

// logOff is above every level. It is the default of commands that do one thing and
// return, because a log line would repeat their error message.
const logOff = slog.LevelError + 1

func (env *Env) openLog(level slog.Level) {
	switch env.logLevel.Value {
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
	if env.logFormat.Value == "json" {
		env.Log = slog.New(slog.NewJSONHandler(env.Errs, o))
		return
	}
	env.Log = slog.New(slog.NewTextHandler(env.Errs, o))
}

// opened is the object store of the settings, opened at its first use.
type opened struct {
	mu     sync.Mutex
	store  *store.Store
	probed bool
}
