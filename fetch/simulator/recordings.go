package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Recording is one recorded answer.
type Recording struct {
	Endpoint string // the name of its folder with "/" in place of the first dash
	File     string // its base name
	Body     []byte
}

// ReadRecordings calls load for every recorded answer below a folder: one folder for each
// endpoint, named as its path with dashes ("bet365-upcoming"), which contains whole
// answers in .json files. Those of the list of fixtures come first, so a dialect
// knows what is listed; the others are in the order of their names. An error names the
// file that cannot be read.
func ReadRecordings(dir, listing string, load func(Recording) error) error {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("replay %s: no payloads: want folders like %s with .json files", dir, strings.Replace(listing, "/", "-", 1))
	}
	for _, first := range []bool{true, false} {
		for _, file := range files {
			endpoint := strings.Replace(filepath.Base(filepath.Dir(file)), "-", "/", 1)
			if (endpoint == listing) != first {
				continue
			}
			body, err := os.ReadFile(file)
			if err == nil && !json.Valid(body) {
				err = errors.New("is not JSON")
			}
			if err == nil {
				err = load(Recording{endpoint, filepath.Base(file), body})
			}
			if err != nil {
				return fmt.Errorf("replay %s: %w", file, err)
			}
		}
	}
	return nil
}

// Replay is a dialect over recorded answers: the wire format is that of Dialect, and Serve
// finds the answers.
type Replay struct {
	Dialect
	Serve func(Question) Answer
}

var _ Sorting = Replay{}

// Answer implements Dialect.
func (r Replay) Answer(q Question) Answer { return r.Serve(q) }

// Format implements Dialect.
func (r Replay) Format() Format {
	f := r.Dialect.Format()
	f.Recorded = true
	return f
}

// EndpointOf implements Sorting.
func (r Replay) EndpointOf(path string, query url.Values) (name string, class Class) {
	if d, ok := r.Dialect.(Sorting); ok {
		return d.EndpointOf(path, query)
	}
	return r.Dialect.Endpoint(path)
}

// base returns the dialect that has the optional methods of d.
func base(d Dialect) Dialect {
	if r, ok := d.(Replay); ok {
		return r.Dialect
	}
	return d
}

// Tomorrow returns the moment at which a recorded fixture is listed that is still to be
// played: the day after now, at its own time of day.
func Tomorrow(now, kickOff time.Time) time.Time {
	kickOff = kickOff.UTC()
	return now.UTC().Truncate(24 * time.Hour).Add(24*time.Hour + kickOff.Sub(kickOff.Truncate(24*time.Hour)))
}

// Replaced returns a recorded text in which the first value of a member is another, and
// every other byte is as it was recorded. The member must be there, and its value be no
// list and no object.
func Replaced(recorded []byte, member, value string) []byte {
	at := regexp.MustCompile(`"` + regexp.QuoteMeta(member) + `"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s",}\]]+)`).FindSubmatchIndex(recorded)
	if at == nil {
		return recorded
	}
	return append(append(append([]byte{}, recorded[:at[2]]...), value...), recorded[at[3]:]...)
}
