package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"mkt/internal/terminal"
	"mkt/publish/football"
)

// Ready is the ready line of mkt demo --output json.
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

// readyBy is how long, after the past was played, the ready line waits for the data of the
// small accounts. It waits for the main account without a limit.
const readyBy = 8 * time.Second

// announce waits until the data is served and prints how to read it.
func (g *Group) announce(ctx context.Context, base, pages <-chan string, first <-chan struct{}, f demoFlags, accounts []Account) error {
	var url, console string
	for address, from := range map[*string]<-chan string{&url: base, &console: pages} {
		select {
		case *address = <-from:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	select {
	case <-first:
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, p := range football.Products() {
		if err := served(ctx, url+routes[p], accounts[0].Token); err != nil {
			return err
		}
	}
	others, cancel := context.WithDeadline(ctx, f.present.Add(readyBy))
	defer cancel()
	for _, d := range accounts[1:] {
		for _, p := range football.Products() {
			if d.runs(p, g.Now()) {
				_ = served(others, url+routes[p], d.Token) // if it is not ready yet, the route answers 503
			}
		}
	}
	g.starting.Done()
	if g.JSON() {
		return g.Encode(readyLine(url, console, accounts))
	}
	return g.printDemo(url, console, f, accounts)
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

func readyLine(url, console string, accounts []Account) Ready {
	line := Ready{Event: "ready", BaseURL: url, ConsoleURL: console}
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

func (g *Group) printDemo(url, console string, f demoFlags, accounts []Account) error {
	fmt.Fprintf(g.Out, "mkt demo is ready: open %s in a browser. The API is at %s/api/v1\n\n", console, url)
	w := terminal.NewTableWriter(g.Out)
	w.Header("account", "token", "shows")
	for _, d := range accounts {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Tenant.ID, d.Token, d.about)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	dir, err := filepath.Abs(f.dir) // another terminal is in another folder
	if err != nil {
		return err
	}
	replay := ""
	if f.began.Sub(f.published(f.began)) > 2*time.Minute {
		replay = demoReplay
	}
	files := "They stay when it ends."
	if f.temporary {
		files = "They are removed when it ends."
	}
	_, err = fmt.Fprint(g.Out, strings.NewReplacer("URL", url, "MAIN", accounts[0].Token, "CONSOLE", console, "MKT", terminal.Self(), "FOLDER", dir,
		"DATA", terminal.Quote(filepath.Join(dir, "data")), "SETTINGS", terminal.Quote(filepath.Join(dir, "mkt.yaml")), "LIVELY", f.liveEvery.String(), "EVERY", f.every.String(), "STAY", files,
		"FROM", f.published(f.began).UTC().Add(time.Minute).Format("15:04Z"), "UNTIL", f.present.UTC().Format("15:04Z"), "AGAIN", terminal.Quote(filepath.Join(dir, "again"))).Replace(strings.Replace(demoHints, "REPLAY", replay, 1)))
	return err
}

// demoHints are lines to paste, with the names used in README.md and docs/clients.md.
const demoHints = `
Paste into another terminal:

  BASE=URL
  TOKEN=MAIN
  AUTH="Authorization: Bearer $TOKEN"
  curl -s -H "$AUTH" "$BASE/api/v1/fixtures?limit=2"
  FX=$(curl -s -H "$AUTH" "$BASE/api/v1/live?limit=1" | grep -o 'fx_[a-z0-9]*' | head -1)
  curl -s -H "$AUTH" "$BASE/api/v1/live/$FX/momentum"
  MKT live show "$FX" --data DATA
  MKT doctor --config SETTINGS
REPLAY
Prices are new every EVERY, matches in play every LIVELY. CONSOLE/api
documents every route, and asks it for you. With the token of "suspended" a
route answers 403.

All files are in FOLDER. STAY
Ctrl-C ends it.
`

// demoReplay are the lines to paste for the past that was published.
const demoReplay = `
The last hour of "main" can run again: the first line rebuilds the live
snapshots that retention deleted, the second serves the hour at 30 times its
speed, with a token of its own.

  MKT replay --config SETTINGS --tenant main --from FROM --to UNTIL --into AGAIN
  MKT serve --config SETTINGS --data AGAIN --tenant main --listen 127.0.0.1:0 --replay FROM..UNTIL --speed 30
`
