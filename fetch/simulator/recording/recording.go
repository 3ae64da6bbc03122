// Package recording reads recorded answers of providers, which an emulator serves again.
package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Answer is one recorded answer.
type Answer struct {
	Endpoint string // the name of its folder with "/" in place of the first dash
	File     string // its base name
	Body     []byte
}

// Read calls load for every recorded answer below a folder: one folder for each
// endpoint, named as its path with dashes ("bet365-upcoming"), which contains whole
// answers in .json files. Those of the list of fixtures come first, so a dialect
// knows what is listed; the others are in the order of their names. An error names the
// file that cannot be read.
func Read(dir, listing string, load func(Answer) error) error {
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
				err = load(Answer{endpoint, filepath.Base(file), body})
			}
			if err != nil {
				return fmt.Errorf("replay %s: %w", file, err)
			}
		}
	}
	return nil
}

// Fields says where the answers of an endpoint have their fixtures. A path is names separated by dots.
type Fields struct {
	List string // path of the list; an answer without it is a list or an item itself
	ID   string // path of the fixture's id in an item
	Time string // path of its start in an item: seconds, or a time in Form; "" if it has none
	Form string // time.RFC3339 if it is ""
}

// Item is an item of a recorded answer. Start is the zero time if it has none.
type Item struct {
	Endpoint, ID string
	Start        time.Time
	JSON         json.RawMessage
}

// ReadItems returns the items of all recorded answers of the endpoints in folders, in the order of
// [Read].
func ReadItems(dir, listing string, folders map[string]Fields) (all []Item, err error) {
	err = Read(dir, listing, func(f Answer) error {
		fields, known := folders[f.Endpoint]
		if !known {
			return nil
		}
		items, err := f.Items(fields)
		all = append(all, items...)
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("replay %s: no fixture; want folders such as %s", dir, strings.Join(slices.Sorted(maps.Keys(folders)), ", "))
	}
	return all, err
}

// Items returns the items of an answer.
func (r Answer) Items(of Fields) (items []Item, err error) {
	list := Member(r.Body, of.List)
	if list == nil {
		list = r.Body
	}
	var raws []json.RawMessage
	if json.Unmarshal(list, &raws) != nil {
		raws = []json.RawMessage{list}
	}
	for n, raw := range raws {
		i := Item{Endpoint: r.Endpoint, ID: Text(raw, of.ID), JSON: raw}
		if i.ID == "" {
			return nil, fmt.Errorf("item %d has no %s", n+1, of.ID)
		}
		text := Text(raw, of.Time)
		if seconds, isNumber := strconv.ParseInt(text, 10, 64); isNumber == nil {
			i.Start = time.Unix(seconds, 0).UTC()
		} else if text != "" {
			if i.Start, err = time.Parse(cmp.Or(of.Form, time.RFC3339), text); err != nil {
				return nil, fmt.Errorf("item %d: its %s is no time", n+1, of.Time)
			}
		}
		items = append(items, i)
	}
	return items, nil
}

// Member returns the value at a path, nil if it is not there.
func Member(raw json.RawMessage, path string) json.RawMessage {
	for name := range strings.SplitSeq(path, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			return nil
		}
		raw = members[name]
	}
	return raw
}

// Text returns the value at a path without quotes, "" if it is null or not there.
func Text(raw json.RawMessage, path string) (text string) {
	value := Member(raw, path)
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// Only returns the items of a list whose text at a path is wanted. The result is not nil.
func Only(list json.RawMessage, path string, wanted func(text string) bool) []json.RawMessage {
	var all []json.RawMessage
	json.Unmarshal(list, &all) // a value that is not a list has no items
	kept := []json.RawMessage{}
	for _, raw := range all {
		if wanted(Text(raw, path)) {
			kept = append(kept, raw)
		}
	}
	return kept
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
