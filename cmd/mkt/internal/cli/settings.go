package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"mkt/internal/strictyaml"
	"mkt/internal/terminal"
)

// Settings resolves every setting from its flag, its MKT_* variable, mkt.yaml
// and its default, in this order. The resolved value is set in the flag's variable: the
// rest of the program does not know its origin.
type Settings struct {
	File  string           // the mkt.yaml in use, "" if there is none
	lines map[string]given // its keys
	known []string
}

// Flag annotations: the key of mkt.yaml, and whether the value is a path.
const (
	keyNote  = "mkt-key"
	pathNote = "mkt-path"
)

const EnvPrefix = "MKT"

// NewSettings returns settings without any flag.
func NewSettings() *Settings { return &Settings{} }

// Bind makes the flag with that name a setting with a key in mkt.yaml.
func (s *Settings) Bind(flags *pflag.FlagSet, name, key string) {
	f := flags.Lookup(name)
	f.Usage += " [" + envName(key) + "]"
	annotate(f, keyNote, key)
	if !slices.Contains(s.known, key) {
		s.known = append(s.known, key)
	}
}

// BindPath is [Settings.Bind] for a file or folder. A path in mkt.yaml is relative to its folder.
func (s *Settings) BindPath(flags *pflag.FlagSet, name, key string) {
	s.Bind(flags, name, key)
	annotate(flags.Lookup(name), pathNote, "")
}

// IsSetting reports whether a flag is a key of mkt.yaml too.
func IsSetting(f *pflag.Flag) bool { return f.Annotations[keyNote] != nil }

func annotate(f *pflag.Flag, note, value string) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[note] = []string{value}
}

// envName returns the variable of a key: MKT_SERVE_LISTEN for serve.listen.
func envName(key string) string {
	return EnvPrefix + "_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// Known lists the possible keys of mkt.yaml, sorted.
func (s *Settings) Known() []string { return slices.Sorted(slices.Values(s.known)) }

// Given lists the keys in mkt.yaml, sorted.
func (s *Settings) Given() []string { return slices.Sorted(maps.Keys(s.lines)) }

// InFile reports whether the value of a key is that of mkt.yaml, and not of its variable.
func (s *Settings) InFile(key string) bool {
	_, byVariable := os.LookupEnv(envName(key))
	return slices.Contains(s.Given(), key) && !byVariable
}

// Read reads mkt.yaml. It is an error if the file does not exist and was named.
func (s *Settings) Read(path string, named bool) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if named {
			return terminal.Usagef("configuration %s: no such file; mkt init creates one", path)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return s.parse(path, data)
}

// parse takes the settings from the text of a file.
func (s *Settings) parse(path string, data []byte) error {
	top, wrong := strictyaml.Parse(data)
	if wrong != nil {
		return terminal.Usagef("%s:%d: %s", path, wrong.Line, wrong.Reason)
	}
	var err error
	if s.lines, err = keyLines(path, top); err != nil {
		return err
	}
	if err := s.checkKeys(path); err != nil {
		return err
	}
	s.File = path
	return nil
}

// Resolve sets every flag absent from the command line.
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
	at, given := s.lines[key]
	if !given {
		s.anchor(f)
		return nil
	}
	source := fmt.Sprintf("%s:%d: %s", s.File, at.line, key)
	list, takes := f.Value.(pflag.SliceValue)
	if at.list && !takes {
		return terminal.Usagef("%s: want one value, not a list", source)
	}
	if len(at.values) == 0 && len(list.GetSlice()) > 0 {
		return terminal.Usagef("%s: want at least one value; leave the line out for the default", source)
	}
	if err := s.set(f, source, at.values); err != nil {
		return err
	}
	s.anchor(f)
	return nil
}

func (s *Settings) set(f *pflag.Flag, source string, values []string) error {
	for _, v := range values {
		if err := f.Value.Set(v); err != nil {
			return terminal.Usagef("%s: %q: %w", source, v, flagError(f, err))
		}
	}
	return nil
}

// anchor makes a relative path from mkt.yaml, or a default path, relative to the folder of
// mkt.yaml.
func (s *Settings) anchor(f *pflag.Flag) {
	path := f.Value.String()
	if _, is := f.Annotations[pathNote]; !is || s.File == "" || path == "" || filepath.IsAbs(path) {
		return
	}
	_ = f.Value.Set(filepath.Join(filepath.Dir(s.File), path)) // a text flag accepts any text
}
