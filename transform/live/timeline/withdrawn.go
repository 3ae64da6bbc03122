package timeline

import (
	"slices"

	"mkt/publish/football"
	"mkt/transform/live/clock"
	"mkt/transform/live/rules"
)

// replace finds for each event that an update hid the one that it shows in its place: of the same
// state and side, and not shown before. before are the entries before the update.
func (e *changes) replace(before []entry) {
	isGone := func(event entry) bool { return event.hidden && event.gone.why != noReason && event.gone.by == 0 }
	if !slices.ContainsFunc(e.entries, isGone) {
		return
	}
	wasShown := make(map[int32]bool, len(before))
	for i := range before {
		wasShown[before[i].number] = !before[i].hidden
	}
	for i := range e.entries {
		hidden := &e.entries[i]
		if !isGone(*hidden) || !wasShown[hidden.number] {
			continue
		}
		by := e.newest(hidden.state, hidden.side, func(event *entry) bool { return !event.hidden && !wasShown[event.number] })
		if by != nil {
			e.entries[i].gone = gone{replaced, by.number}
			wasShown[by.number] = true
		}
	}
}

// Why returns why an entry that was published is not in the timeline any more, and the id of the
// entry in its place, if there is one. before is the timeline that it was published from. It is not
// ok if the entry was only dropped because the timeline is too long.
func (t *Timeline) Why(was *football.TimelineEntry, before *Timeline) (why football.WithdrawalReason, by string, ok bool) {
	at := slices.IndexFunc(t.entries, func(e entry) bool { return t.numbers.id(&e) == was.ID })
	switch {
	case at < 0 && t.numbers.first != before.numbers.first:
		return football.Restarted, "", true
	case at < 0 && isBetween(was.ID):
		return football.Replaced, "", true
	case at < 0:
		isDropped := len(t.entries) == rules.MaxEntries && was.At.Before(clock.UTC(t.entries[0].at))
		return football.TookBack, "", !isDropped // the end of a half although play goes on
	case t.entries[at].hidden:
		e := &t.entries[at]
		if e.gone.by != 0 {
			by = t.numbers.id(&entry{number: e.gone.by, state: e.state})
		}
		return e.gone.why.public(), by, true
	}
	return football.Replaced, t.joining(at), true
}

// joining returns the id of the published entry that an equal one was joined with.
func (t *Timeline) joining(at int) (id string) {
	for _, e := range t.shown() {
		if slices.ContainsFunc(t.entries[:at], func(before entry) bool { return before.number == e.number }) {
			id = t.numbers.id(&e)
		}
	}
	return id
}
