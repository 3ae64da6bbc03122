package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mkt/internal/terminal"

	"github.com/spf13/pflag"
)

// bounded is a flag whose value must pass a check, whether it comes from the command line, a
// variable or mkt.yaml.
type bounded struct {
	pflag.Value
	want string // the accepted values, in words
	ok   func() bool
}

// Set implements [pflag.Value].
func (b bounded) Set(s string) error {
	if err := b.Value.Set(s); err != nil || !b.ok() {
		return errors.New("want " + b.want)
	}
	return nil
}

// Bound restricts a flag to the values for which ok returns true; want describes them.
func Bound(flags *pflag.FlagSet, name, want string, ok func() bool) {
	f := flags.Lookup(name)
	f.Value = bounded{f.Value, want, ok}
}

// TextOnly marks flags without effect on --output json, with which they are refused.
func TextOnly(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		annotate(flags.Lookup(name), textNote, "")
	}
}

const textNote = "mkt_text_only"

// IsTextOnly reports whether a flag was marked by [TextOnly].
func IsTextOnly(f *pflag.Flag) bool { return f.Annotations[textNote] != nil }

// checkWithJSON returns an error if a flag was given that --output json ignores, or if a page would be
// written in its place.
func checkWithJSON(flags *pflag.FlagSet) (err error) {
	if f := flags.Lookup("html"); f != nil && f.Value.String() == "-" {
		return terminal.Usagef("--html - writes the page where --output json writes: name a file, or leave out one of the two")
	}
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && IsTextOnly(f) {
			err = terminal.Usagef("--%s changes the text for people, and nothing of --output json: want one of the two", f.Name)
		}
	})
	return err
}

// Between returns a check of a value against a range, both ends included.
func Between[T cmp.Ordered](value *T, least, most T) func() bool {
	return func() bool { return *value >= least && *value <= most }
}

// plainForms describe the accepted values of a flag's type, for a flag without a bound of its own.
var plainForms = map[string]string{
	"int":      "a whole number",
	"uint64":   "a whole number, 0 or more",
	"float64":  "a number such as 1.5",
	"duration": "a duration such as 30s, 5m or 24h",
	"bool":     "true or false",
}

// flagError replaces the flag library's message about a rejected value.
func flagError(f *pflag.Flag, err error) error {
	_, own := f.Value.(bounded)
	if words, known := plainForms[f.Value.Type()]; known && !own {
		return errors.New("want " + words)
	}
	return err
}

// Choice is the value of a flag with a fixed list of words.
type Choice struct {
	Value  string
	words  []string
	chosen bool // Value was set
}

// OneOf returns a choice of words with a default.
func OneOf(value string, words ...string) Choice { return Choice{Value: value, words: words} }

func (c *Choice) String() string { return c.Value }
func (c *Choice) Type() string   { return strings.Join(c.words, "|") }

func (c *Choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s", strings.Join(c.words, " or "))
	}
	c.Value, c.chosen = s, true
	return nil
}

// Address is the value of a flag for an address to listen on.
type Address struct{ Flag, Value string }

// CheckFree returns an error with the name of the flag if one of the addresses cannot be listened
// on now, or if two of them are the same. A command calls it before any long work.
func CheckFree(list ...Address) (err error) {
	for _, a := range list {
		l, failed := net.Listen("tcp", a.Value)
		if failed != nil {
			return ListenError(a, failed)
		}
		defer func() { err = errors.Join(err, l.Close()) }()
	}
	return nil
}

// ListenError adds the flag and the next step to the error of a failed [net.Listen].
func ListenError(a Address, err error) error {
	var cause *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--%s %s: the address is in use: give another with --%[1]s (port 0 takes a free one), or stop what listens there", a.Flag, a.Value)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--%s %s: this user may not listen there: give a port from 1024 with --%[1]s", a.Flag, a.Value)
	case errors.As(err, &cause):
		err = cause.Err
	}
	return fmt.Errorf("--%s %s: %w: give an address of this machine with --%[1]s", a.Flag, a.Value, err)
}

// Listens restricts a flag to addresses to listen on. The port must be a number, because
// names of ports differ from machine to machine.
func Listens(flags *pflag.FlagSet, name string, address *string) {
	Bound(flags, name, "HOST:PORT, such as 127.0.0.1:8080, or :8080 for every address of this machine", func() bool {
		_, port, err := net.SplitHostPort(*address)
		if err != nil {
			return false
		}
		_, err = strconv.ParseUint(port, 10, 16)
		return err == nil
	})
}
