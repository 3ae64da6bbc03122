package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

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
	present chan struct{} // the past was played
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
	return fmt.Sprintf("The demo is filling: it plays its past, and is at %s of %s. Until then prices come every ten minutes and other accounts have no data: the checks say so.",
		clock.Now().UTC().Format(hour), clock.real().UTC().Format(hour))
}

// patience is how long, after the past was played, the ready line waits for the data of the
// small accounts. It waits for the main account without a limit.
const patience = 30 * time.Second

// announce says how to read the data as soon as some is served, and what to try when the past was played.
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
	if !reached(ctx, at.open) {
		return ctx.Err()
	}
	for _, p := range football.Products() {
		if err := served(ctx, s.url+routes[p], accounts[0].Token); err != nil {
			return err
		}
	}
	if err := g.Answer(readyLine("open", s.url, s.console, accounts), func(out io.Writer) error { return s.print(ctx, out, shown) }); err != nil {
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
		for _, p := range football.Products() {
			if d.runs(p, g.Now()) {
				_ = served(others, s.url+routes[p], d.Token) // if it is not ready yet, the route answers 503
			}
		}
	}
	close(at.filled)
	g.starting.Done()
	return g.Answer(readyLine("ready", s.url, s.console, accounts), func(out io.Writer) error {
		_, err := fmt.Fprintln(out, "All accounts have their data now.")
		return err
	})
}

// routes have a 200 answer as soon as a product has data.
var routes = map[football.Product]string{
	football.MarketEngine: "/api/v1/fixtures?limit=1", football.LiveIntelligence: "/api/v1/live?limit=1"}

// served waits until a route answers 200.
func served(ctx context.Context, url, token string) error {
	for {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return errors.New("data is not served")
		case <-time.After(50 * time.Millisecond):
		}
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
