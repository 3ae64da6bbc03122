package dataroot

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/football"
)

// Offered are sections with markets of every kind: mapped, doubtful, unknown.
const Offered = `"main":{"updated_at":"1795160000","sp":{
  "full_time_result":{"id":"40","name":"Full Time Result","odds":[{"id":"11","odds":"1.90","name":"1"},{"id":"12","odds":null,"name":"Draw"},{"id":"13","name":"2"}]},
  "goals_over_under":{"id":"981","name":"Goals Over\/Under","odds":[{"id":"21","odds":"2.50","header":"Over","name":"2.5"},{"id":"22","odds":"one","header":"Under","name":"2.5"},{"id":"23","odds":"9.00","header":"Over","name":"about two"}]},
  "magic_hat":{"id":"77","name":"Magic Hat","odds":[{"id":"31","odds":"3.00","name":"Rabbit"}]}}}`

// Markets is a data root of two cycles. In the second the markets of the first fixture could
// not be retrieved.
func Markets(t testing.TB) *Root {
	r := New(t, football.MarketEngine)
	page := Listing(Listed("9001", "Fulham", "Arsenal"), Listed("9002", "Nord", "Süd"))
	r.Cycle(0, nil, page, Offer("9001", Offered), Offer("9002", `"main":{"sp":{}}`))
	r.Cycle(time.Hour, func(c *raw.Cycle) {
		c.Outcome, c.Code, c.Failed = raw.Partial, "PROVIDER_UNREACHABLE", []string{"9001"}
	},
		page, Offer("9002", Offered))
	return r
}

// Play is a data root of a fixture in play: 24 samples, eight seconds apart, from the tenth
// minute on, with a corner in the counters and in the provider's list of events.
func Play(t testing.TB) *Root {
	r := New(t, football.LiveIntelligence)
	for i := range 24 {
		s := 600 + 8*i
		corners := 1
		if i >= 10 {
			corners = 2
		}
		list := fmt.Sprintf(`{"id":"501","sport_id":"1","time":"1795165200","time_status":"1","league":{"id":"1","name":"Coast League"},
			"home":{"id":"2","name":"Harbour"},"away":{"id":"3","name":"Lighthouse"},"ss":"1-0","bet365_id":"9001",
			"timer":{"tm":%d,"ts":%d,"tt":"1","ta":0,"md":0},"stats":{"attacks":["%d","9"],"dangerous_attacks":["%d","4"],"corners":["%d","0"],"xg":["",""]}}`,
			s/60, s%60, 20+i, 5+i/2, corners)
		answers := []Answer{{Endpoint: "events/inplay", Body: `{"success":1,"pager":{"page":1,"per_page":1000,"total":1},"results":[` + list + `]}`}}
		if i == 11 {
			detail := strings.Replace(list, `"stats"`, `"events":[{"id":"77","text":"12' - 2nd Corner - Harbour"}],"stats"`, 1)
			answers = append(answers, Answer{Endpoint: "event/view", Body: `{"success":1,"results":[` + detail + `]}`})
		}
		r.Cycle(time.Duration(8*i)*time.Second, nil, answers...)
	}
	return r
}
