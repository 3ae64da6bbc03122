// This program reads the path of a market's prices, with a client generated from
// docs/openapi-history.yaml. BASE is the service, TOKEN the account's, which needs the feature history.
//
//	go run ./history fx_… mk_…
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"example/mkt-client/api/history"
)

type client struct {
	*history.ClientWithResponses
	fixture, market string
}

// read returns a page of the path, or the market as it was published at a time.
func (c client) read(ctx context.Context, p history.GetPathParams) (*history.PathPage, error) {
	r, err := c.GetPathWithResponse(ctx, c.fixture, c.market, &p)
	if err != nil {
		return nil, err
	}
	if r.JSON200 == nil {
		return nil, fmt.Errorf("%s: %s", r.Status(), r.Body)
	}
	return r.JSON200, nil
}

// report is what the program prints.
type report struct {
	KickOff      *string     `json:"kick_off"`
	KickOffMoved bool        `json:"kick_off_moved"`
	Selections   []selection `json:"selections"`
	AtKickOff    []price     `json:"at_kick_off"`
}

type selection struct {
	price
	Closing history.JudgedState   `json:"closing"`
	Reason  *history.JudgedReason `json:"reason"`
	Points  []any                 `json:"points"`
}

type price struct {
	SelectionID string `json:"selection_id"`
	Price       any    `json:"price"`
}

// decimal is the price of a point: nil if there was none, "gone" if the selection was not there.
func decimal(p *history.Point) any {
	switch {
	case p == nil || p.Present && (p.Odds == nil || p.Odds.Decimal == nil):
		return nil
	case !p.Present:
		return "gone"
	}
	return *p.Odds.Decimal
}

func run(ctx context.Context, c client) (out report, err error) {
	// The whole path: each page has all selections, with some of their points.
	var newest *history.PathPage
	points, limit := map[string][]any{}, 5
	for next := (*string)(nil); newest == nil || newest.Pagination.HasMore; next = newest.Pagination.NextCursor {
		if newest, err = c.read(ctx, history.GetPathParams{Limit: &limit, Cursor: next}); err != nil {
			return out, err
		}
		for _, s := range newest.Data.Selections {
			for i := range s.Points {
				points[s.SelectionId] = append(points[s.SelectionId], decimal(&s.Points[i]))
			}
		}
	}

	// The closing price is FINAL once something was published since kick-off.
	for _, s := range newest.Data.Selections {
		out.Selections = append(out.Selections, selection{price{s.SelectionId, decimal(s.Closing.Point)}, s.Closing.State, s.Closing.Reason, points[s.SelectionId]})
	}

	// The market as it was at kick-off.
	at := newest.Data.KickOff
	if out.KickOffMoved = newest.Data.KickOffMoved; at == nil {
		return out, nil
	}
	out.KickOff = new(at.UTC().Format("2006-01-02T15:04:05.000Z"))
	then, err := c.read(ctx, history.GetPathParams{At: at})
	if err != nil {
		return out, err
	}
	for _, s := range then.Data.Selections {
		out.AtKickOff = append(out.AtKickOff, price{s.SelectionId, decimal(&s.Points[0])})
	}
	return out, nil
}

func main() {
	err := errors.New("usage: history FIXTURE MARKET")
	if len(os.Args) == 3 {
		err = write(os.Getenv("BASE"), os.Getenv("TOKEN"), os.Args[1], os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(base, token, fixture, market string) error {
	authorize := func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	c, err := history.NewClientWithResponses(base+"/api/ext/history/v0", history.WithRequestEditorFn(authorize),
		history.WithHTTPClient(&http.Client{Timeout: time.Minute}))
	if err != nil {
		return err
	}
	out, err := run(context.Background(), client{c, fixture, market})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}
