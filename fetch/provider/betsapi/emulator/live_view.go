package emulator

import (
	"strconv"
	"time"

	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator"
)

// appendView renders one event as in event/view: the record of the list, with its
// timeline and what is known of the place.
func appendView(b []byte, w *simulator.World, m *simulator.Match, now time.Time) []byte {
	f, sent := m.Fixture, m.Sent(now)
	if sent.Begun && f.Status == simulator.Ended { // a stall does not outlast the match
		sent.Status = simulator.Ended
	}
	called := f.Status == simulator.Postponed || f.Status == simulator.Cancelled || f.Status == simulator.Withdrawn
	open := !called && !sent.At.Before(m.Opens)
	switch {
	case open:
		b = appendEvent(b, m, timeStatus(sent.Status))
		b = appendScores(b, m, &sent)
		if sent.Status != simulator.Ended {
			b = appendTimer(b, m, &sent)
		}
		b = appendStats(b, m, &sent)
	case called:
		b = append(appendEvent(b, m, timeStatus(f.Status)), `,"ss":null`...)
	default:
		b = append(appendEvent(b, m, api.StatusNotStarted), `,"ss":null`...)
	}
	b = appendExtra(b, f)
	if open {
		b = appendLines(b, m, &sent)
		b = append(b, `,"has_lineup":1,"inplay_created_at":`...)
		b = appendEpoch(b, m.Opens)
		b = append(b, `,"inplay_updated_at":`...)
		b = appendEpoch(b, earlier(sent.At, m.Over))
	}
	if open && sent.Status == simulator.Ended && f.Lot(2, oddNoExtra, 1) == 0 {
		b = append(b, `,"confirmed_at":`...)
		b = appendEpoch(b, m.Over.Add(2*time.Minute))
	}
	if hasFI(f) {
		b = appendText(append(b, `,"bet365_id":`...), fixtureID(w, f))
	}
	return append(b, '}')
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// appendExtra writes the additional facts, any of which may be missing.
func appendExtra(b []byte, f simulator.Fixture) []byte {
	has := func(about uint64) bool { return f.Lot(3, oddNoExtra, about) != 0 }
	if f.League.Tier == 3 && !has(2) {
		return b
	}
	b = append(b, `,"extra":{"length":"`...)
	b = append(strconv.AppendInt(b, int64(f.League.Minutes), 10), '"')
	if f.League.Human() && has(3) {
		b = strconv.AppendInt(append(b, `,"home_pos":"`...), int64(1+f.Lot(f.League.Teams, oddNoExtra, 4)), 10)
		b = strconv.AppendInt(append(b, `","away_pos":"`...), int64(1+f.Lot(f.League.Teams, oddNoExtra, 5)), 10)
		b = append(b, '"')
	}
	if f.League.Human() && has(6) {
		b = strconv.AppendInt(append(b, `,"stadium_data":{"id":"`...), int64(600+f.Home.Number), 10)
		b = appendText(append(b, `","name":`...), f.Home.Name+" Ground")
		b = append(b, `,"city":null,"country":null,"capacity":"`...)
		b = strconv.AppendInt(b, int64(800+100*f.Lot(300, oddNoExtra, 7)), 10)
		b = append(b, `","googlecoords":null}`...)
	}
	if has(8) {
		b = append(b, `,"pitch":"Good","weather":"Good"`...)
	}
	b = strconv.AppendInt(append(b, `,"round":"`...), int64(1+f.Lot(34, oddNoExtra, 9)), 10)
	return append(b, `"}`...)
}
