package demo

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"mkt/internal/schedule/cyclestate"
	"mkt/publish/football"
)

// Ready is a line of mkt demo --output json: "open" when the main account is served, "ready" when all accounts are.
type Ready struct {
	Event      string       `json:"event"`
	BaseURL    string       `json:"base_url"`
	ConsoleURL string       `json:"console_url"`
	Tenants    []demoTicket `json:"tenants"`
}

type demoTicket struct {
	ClientID string   `json:"client_id"`
	Token    string   `json:"token"`
	Products []string `json:"products"`
	Features []string `json:"features"`
	Status   string   `json:"status"`
	About    string   `json:"about"`
}

// milestones are closed when they are reached.
type milestones struct {
	open    chan struct{} // the main account is published
	present chan struct{} // the past was played, and the main account is up to date
	filled  chan struct{} // the other accounts are served
}

func newMilestones() milestones {
	return milestones{make(chan struct{}), make(chan struct{}), make(chan struct{})}
}

// reached waits for a milestone. It returns false if ctx ends first.
func reached(ctx context.Context, milestone <-chan struct{}) bool {
	select {
	case <-milestone:
		return true
	case <-ctx.Done():
		return false
	}
}

// notice is what every page of the console says until the demo is filled.
func (m milestones) notice(clock *Clock) string {
	isOver := func(milestone <-chan struct{}) bool {
		select {
		case <-milestone:
			return true
		default:
			return false
		}
	}
	switch {
	case isOver(m.filled):
		return ""
	case isOver(m.present):
		return "The demo is filling: the other accounts run their first cycles. Until then they have no data, and the checks say so."
	}
	const hour = "15:04"
	return fmt.Sprintf("The demo is filling: it plays its past, and is at %s of %s. Until then prices come every %.0f minutes and other accounts have no data: the checks say so.",
		clock.Now().UTC().Format(hour), clock.real().UTC().Format(hour), marketStep.Minutes())
}

const (
	// patience is how long, after the past was played, the ready line waits for the data of the small accounts.
	patience = 30 * time.Second
	// poll is how soon the API serves what was published.
	poll = 200 * time.Millisecond
)

// announce says where the console is as soon as some data is served, and what to try when all is.
func (g *Group) announce(ctx context.Context, base, pages <-chan string, at milestones, f demoFlags, shown *chooser, accounts []Account) error {
	s := screen{flags: f, accounts: accounts}
	for address, from := range map[*string]<-chan string{&s.url: base, &s.console: pages} {
		select {
		case *address = <-from:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := s.writeFile(); err != nil {
		return err
	}
	if err := g.Answer(readyLine("open", s.url, s.console, accounts), s.printAddress); err != nil {
		return err
	}
	if !reached(ctx, at.present) {
		return ctx.Err()
	}
	g.starting.Set(0, 0)
	g.starting.Note("first cycles of the other accounts")
	others, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, d := range accounts[1:] {
		for p := range d.Tenant.Products {
			isServed := func() bool {
				return cyclestate.NewestRun(g.Data, d.Tenant.ID, p, "publish") != nil && answers(others, s.url+routes[p], d.Token)
			}
			for d.runs(p, g.Now()) && !isServed() && wait(others, poll/4) {
			}
		}
	}
	close(at.filled)
	g.starting.Done()
	return g.Answer(readyLine("ready", s.url, s.console, accounts), func(out io.Writer) error { return s.printLines(ctx, out, shown) })
}

// routes have a 200 answer as soon as a product has data.
var routes = map[football.Product]string{
	football.MarketEngine: "/api/v1/fixtures?limit=1", football.LiveIntelligence: "/api/v1/live?limit=1"}

// answers reports whether a route answers 200.
func answers(ctx context.Context, url, token string) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// wait waits for a while. It returns false if ctx ends first.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func readyLine(event, url, console string, accounts []Account) Ready {
	line := Ready{Event: event, BaseURL: url, ConsoleURL: console}
	for _, d := range accounts {
		ticket := demoTicket{ClientID: d.Tenant.ID, Token: d.Token, Products: []string{}, Features: d.Tenant.EnabledFeatures(),
			Status: string(d.Tenant.Status), About: d.about}
		for _, p := range football.Products() {
			if _, ok := d.Tenant.Products[p]; ok {
				ticket.Products = append(ticket.Products, string(p))
			}
		}
		line.Tenants = append(line.Tenants, ticket)
	}
	return line
}
