package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// bounded is a flag whose value must pass a check, whether it comes from the command line, a
// variable or mkt.yaml.
type bounded struct {
	pflag.Value
	want string // what it accepts, in words
	ok   func() bool
}

// Set implements pflag.Value.
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

// Between returns a check that a value is in a range.
func Between[T cmp.Ordered](value *T, least, most T) func() bool {
	return func() bool { return *value >= least && *value <= most }
}

// plainForms describe what a flag of a type accepts, if it has no bound of its own.
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

// Choice is the value of a flag that takes one of a few words.
type Choice struct {
	Value string
	words []string
}

// OneOf returns a choice of words with a default.
func OneOf(value string, words ...string) Choice { return Choice{value, words} }

func (c *Choice) String() string { return c.Value }
func (c *Choice) Type() string   { return strings.Join(c.words, "|") }

func (c *Choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s%s", strings.Join(c.words, " or "), DidYouMean(s, c.words...))
	}
	c.Value = s
	return nil
}

// IsFree returns an error if an address cannot be listened on now.
func IsFree(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
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
