package betsapi

import "strings"

// maxTally bounds how many different names are counted: they come from outside.
const maxTally = 200

// manyMore counts what found no room.
const manyMore = "(more)"

// tally counts by name. The zero value is ready.
type tally map[string]int

func (t *tally) add(name string) {
	if *t == nil {
		*t = make(tally)
	}
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "")
	}
	if _, known := (*t)[name]; !known && len(*t) >= maxTally {
		name = manyMore
	}
	(*t)[name]++
}
