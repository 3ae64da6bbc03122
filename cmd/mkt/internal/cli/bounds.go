package cli

import (
	"cmp"
	"errors"

	"github.com/spf13/pflag"
)

// bounded is a flag whose value must pass a check, wherever it comes from: the
// command line, a variable or mkt.yaml.
type bounded struct {
	pflag.Value
	want string // what is plainForms, in words
	ok   func() bool
}

// Set implements pflag.Value.
func (b bounded) Set(s string) error {
	if err := b.Value.Set(s); err != nil || !b.ok() {
		return errors.New("want " + b.want)
	}
	return nil
}

// Bound lets a flag take only what ok lets through; want says it in words.
func Bound(flags *pflag.FlagSet, name, want string, ok func() bool) {
	f := flags.Lookup(name)
	f.Value = bounded{f.Value, want, ok}
}

// Between is the check of a flag that is bound to value.
func Between[T cmp.Ordered](value *T, least, most T) func() bool {
	return func() bool { return *value >= least && *value <= most }
}

// plainForms are the words for what a flag of a type takes, where no narrower bound
// has its own.
var plainForms = map[string]string{
	"int":      "a whole number",
	"uint64":   "a whole number, 0 or more",
	"float64":  "a number such as 1.5",
	"duration": "a duration such as 30s, 5m or 24h",
	"bool":     "true or false",
}

// worded replaces the library's words for a value that a flag does not take.
func worded(f *pflag.Flag, err error) error {
	_, own := f.Value.(bounded)
	if words, known := plainForms[f.Value.Type()]; known && !own {
		return errors.New("want " + words)
	}
	return err
}
