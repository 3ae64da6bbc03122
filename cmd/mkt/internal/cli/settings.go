package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// Settings resolves every setting from its flag, its MKT_* variable, mkt.yaml
// and its default, in this order. The resolved value lands in the variable that
// the flag is bound to; nothing else of the program knows where it came from.
type Settings struct {
	V     *viper.Viper
	File  string           // mkt.yaml that was read, "" when there is none
	lines map[string]given // its keys
	Known []string
}

// Flag annotations: the key of mkt.yaml, and whether the value is a path.
const (
	keyNote  = "mkt-key"
	pathNote = "mkt-path"
)

const EnvPrefix = "MKT"

func NewSettings() *Settings {
	v := viper.New()
	v.SetConfigType("yaml")
	return &Settings{V: v}
}

// Bind makes the flag of that name a setting with a key in mkt.yaml.
func (s *Settings) Bind(flags *pflag.FlagSet, name, key string) {
	f := flags.Lookup(name)
	f.Usage += " [" + envName(key) + "]"
	annotate(f, keyNote, key)
	if !slices.Contains(s.Known, key) {
		s.Known = append(s.Known, key)
	}
}

// BindPath is bind for a file or folder: relative to mkt.yaml when it stands there.
func (s *Settings) BindPath(flags *pflag.FlagSet, name, key string) {
	s.Bind(flags, name, key)
	annotate(flags.Lookup(name), pathNote, "")
}

func annotate(f *pflag.Flag, note, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[note] = []string{value}
}

// envName is the variable of a key: serve.listen is MKT_SERVE_LISTEN.
func envName(key string) string {
	return EnvPrefix + "_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// Read reads mkt.yaml. One that is not there is an error only when it was asked
// for by name.
func (s *Settings) Read(path string, named bool) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if named {
			return Usagef("configuration %s: no such file; mkt init makes one", path)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if s.lines, err = KeyLines(path, data); err != nil {
		return err
	}
	if err := s.checkKeys(path); err != nil {
		return err
	}
	if err := s.V.ReadConfig(bytes.NewReader(data)); err != nil {
		return Usagef("configuration %s: %w", path, err)
	}
	s.File = path
	return nil
}

// Resolve sets every flag of a command that was not given on the command line.
func (s *Settings) Resolve(flags *pflag.FlagSet) error {
	var errs []error
	flags.VisitAll(func(f *pflag.Flag) {
		if key := f.Annotations[keyNote]; key != nil && !f.Changed {
			errs = append(errs, s.resolveOne(f, key[0]))
		}
	})
	return errors.Join(errs...)
}

func (s *Settings) resolveOne(f *pflag.Flag, key string) error {
	if value, ok := os.LookupEnv(envName(key)); ok {
		return s.set(f, envName(key), []string{value})
	}
	if !s.V.IsSet(key) {
		s.anchor(f)
		return nil
	}
	source := fmt.Sprintf("%s:%d: %s", s.File, s.lines[key].line, key)
	values := []string{s.V.GetString(key)}
	if _, list := f.Value.(pflag.SliceValue); list {
		values = s.V.GetStringSlice(key)
	} else if _, list := s.V.Get(key).([]any); list {
		return Usagef("%s: want one value, not a list", source)
	}
	if err := s.set(f, source, values); err != nil {
		return err
	}
	s.anchor(f)
	return nil
}

func (s *Settings) set(f *pflag.Flag, source string, values []string) error {
	for _, v := range values {
		if err := f.Value.Set(v); err != nil {
			return Usagef("%s: %q: %w", source, v, worded(f, err))
		}
	}
	return nil
}

// anchor makes a path from mkt.yaml, or the default of one, relative to the
// folder of mkt.yaml.
func (s *Settings) anchor(f *pflag.Flag) {
	path := f.Value.String()
	if _, is := f.Annotations[pathNote]; !is || s.File == "" || path == "" || filepath.IsAbs(path) {
		return
	}
	_ = f.Value.Set(filepath.Join(filepath.Dir(s.File), path)) // a text flag takes any text
}
