package wording

import (
	"strings"
	"unicode/utf8"

	"mkt/publish/football"
)

// The limits of a reader's memory: readings of rows, and bytes of a row's labels.
const (
	maxKnown  = 1 << 14
	maxLabels = 256
)

// keyOf returns the key of a row's labels. It is false if their meaning may depend on the
// fixture: on its players, or on the name of a team in them.
func (r *Reader) keyOf(labels []football.Label) (key []byte, ok bool) {
	if r.plan.player != noPlayer {
		return nil, false
	}
	key = r.key[:0]
	for i := range labels {
		for _, text := range [...]string{labels[i].Field, labels[i].Text} {
			key = append(append(key, byte(len(text))), text...)
			if len(key) > maxLabels {
				return nil, false
			}
		}
		if text := labels[i].Text; mayName(text, r.names.Home) || mayName(text, r.names.Away) {
			return nil, false
		}
	}
	r.key = key
	for _, c := range key {
		if c >= utf8.RuneSelf { // it may be another text in NFC
			return nil, false
		}
	}
	return key, true
}

func mayName(text, name string) bool {
	return name != "" && strings.Contains(text, name)
}

// keep remembers the meaning of a row.
func (r *Reader) keep(key []byte, rd Reading) {
	if r.kept == maxKnown {
		return
	}
	r.kept++
	for _, s := range []*string{&rd.Selection, &rd.Qualifier, &rd.Subject, &rd.Subject2, &rd.Row, &rd.Column, &rd.Half, &rd.Market} {
		*s = strings.Clone(*s) // they may lie in a payload
	}
	r.known[string(key)] = &known{rd, r.Contradicts}
}
