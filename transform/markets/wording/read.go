package wording

import (
	"slices"

	"mkt/fetch/input"
	"mkt/publish/football"
)

// Read reads one row into rd. The row must have everything required by its form, nothing twice
// and nothing else, and only one reading.
func (r *Reader) Read(row *input.Row, rd *Reading) {
	*rd = Reading{Reason: row.Trouble}
	if rd.Reason != "" {
		return
	}
	r.readWords(row.Words(), rd)
}

// readWords reads the texts of a row into rd, unless their meaning is known.
func (r *Reader) readWords(labels []football.Label, rd *Reading) {
	key, ok := r.keyOf(labels)
	if !ok {
		r.readLabels(labels, rd)
		return
	}
	contradicts := r.Contradicts
	if k, found := r.known[string(key)]; found {
		*rd, r.Contradicts = k.reading, contradicts || k.contradicts
		return
	}
	r.Contradicts = false
	r.readLabels(labels, rd)
	if r.ways <= 1 && !r.unread { // else the reading depends on the names
		r.keep(key, *rd)
	}
	r.Contradicts = contradicts || r.Contradicts
}

// readLabels reads the labels of a row into rd.
func (r *Reader) readLabels(labels []football.Label, rd *Reading) {
	r.ways, r.unread = 0, false
	if !r.takeTexts(labels) {
		rd.Reason = football.AmbiguousShape
		return
	}
	if r.plan.player != noPlayer {
		*rd = r.readPlayer()
		return
	}
	r.found, r.readings, r.best, r.swapped = rd, 0, failure{}, false
	switch {
	case r.plan.halves:
		r.readScores()
	case r.plan.Claim.Shape&input.EachSaysAll != 0 && len(r.texts) > 1:
		r.readEach()
	default:
		r.searchAll()
	}
	switch {
	case r.ways == 1:
		rd.Swaps = r.swapped
	case r.ways > 1 && r.names.Home == r.names.Away && r.names.Known():
		*rd = Reading{Reason: football.UnresolvedQualifier}
	case r.ways > 1:
		*rd = Reading{Reason: football.AmbiguousShape}
	default:
		rd.Reason = r.reason()
	}
}

// searchAll finds every way to read the texts.
func (r *Reader) searchAll() {
	r.stack, r.depth = r.stack[:0], 0
	st := r.state()
	*st = state{}
	r.search(0, 0, st)
}

// readEach reads every text of a row by itself: each must be the selection, and all must be the
// same one. A text that cannot be read may say it with the teams' names in another spelling.
func (r *Reader) readEach() {
	all := r.texts
	defer func() { r.texts = all }()
	var unread []string
	for i := range all {
		before := r.readings
		r.texts = all[i : i+1]
		r.searchAll()
		if r.readings == before {
			unread = append(unread, all[i])
		}
	}
	r.unread = len(unread) > 0
	if slices.ContainsFunc(unread, func(text string) bool { return r.ways != 1 || !r.isSpelled(text, r.found.Selection) }) {
		r.ways, r.readings = 0, 0 // it may contradict the others
	}
}
