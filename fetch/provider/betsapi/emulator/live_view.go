package emulator

import (
	"fmt"
	"time"

	"mkt/fetch/provider/betsapi/internal/api"
	"mkt/fetch/simulator/competition"
	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/world"
)

// appendView renders one event as in event/view: the record of the list, with its
// timeline.
func appendView(b []byte, w *world.World, m *feed.Match, now time.Time) []byte {
	f, sent := m.Fixture, m.Sent(now)
	if sent.Begun && f.Status == competition.Ended { // a stall does not outlast the match
		sent.Status = competition.Ended
	}
	called := f.Status == competition.Postponed || f.Status == competition.Cancelled || f.Status == competition.Withdrawn
	open := !called && !sent.At.Before(m.Opens)
	switch {
	case open:
		b = appendEvent(b, m, timeStatus(sent.Status))
		b = appendScores(b, m, &sent)
		if sent.Status != competition.Ended {
			b = appendTimer(b, m, &sent)
		}
		b = appendStats(b, m, &sent)
	case called:
		b = append(appendEvent(b, m, timeStatus(f.Status)), `,"ss":null`...)
	default:
		b = append(appendEvent(b, m, api.StatusNotStarted), `,"ss":null`...)
	}
	if open {
		b = appendLines(b, m, &sent)
		b = fmt.Appendf(b, `,"has_lineup":1,"inplay_created_at":"%d","inplay_updated_at":"%d"`, m.Opens.Unix(), min(sent.At.Unix(), m.Over.Unix()))
	}
	if open && sent.Status == competition.Ended && f.Lot(2, oddUnconfirmed, 1) == 0 {
		b = fmt.Appendf(b, `,"confirmed_at":"%d"`, m.Over.Add(2*time.Minute).Unix())
	}
	if hasFI(f) {
		b = appendText(append(b, `,"bet365_id":`...), fixtureID(w, f))
	}
	return append(b, '}')
}
