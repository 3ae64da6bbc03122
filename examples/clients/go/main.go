// This program reads an account's fixtures, the markets of one of them, and the change log,
// with a client generated from docs/openapi.yaml. BASE is the service, TOKEN the account's.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"example/mkt-client/api"
)

//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml ../../../docs/openapi.yaml
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config history.yaml ../../../docs/openapi-history.yaml

// refusal is an error of the API. Programs branch on its code; the message is for people.
type refusal struct {
	api.ErrorDetail
}

func (r refusal) Error() string { return string(r.Code) + ": " + r.Message }

// transport sends the token, and waits when the account has sent too many requests.
type transport struct{ token string }

func (t transport) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+t.token)
	for {
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != http.StatusTooManyRequests {
			return answer, err
		}
		answer.Body.Close()
		seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if err != nil {
			return nil, fmt.Errorf("RATE_LIMITED without a number in Retry-After: %w", err)
		}
		fmt.Fprintf(os.Stderr, "RATE_LIMITED: waiting %d s\n", seconds)
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-time.After(time.Duration(seconds) * time.Second):
		}
	}
}

// ok returns the body of a successful answer, and otherwise the error that the body has.
func ok[T any](answer *T, body []byte, err error) (*T, error) {
	if err != nil || answer != nil {
		return answer, err
	}
	var refused api.Error
	if err := json.Unmarshal(body, &refused); err != nil || refused.Error.Code == "" {
		return nil, fmt.Errorf("an answer that is not of this API: %.100q", body)
	}
	return nil, refusal{refused.Error}
}

type client struct{ *api.ClientWithResponses }

func connect(base, token string) (client, error) {
	c, err := api.NewClientWithResponses(base+"/api/v1", api.WithHTTPClient(transport{token}))
	return client{c}, err
}

func (c client) fixtures(ctx context.Context, p api.ListFixturesParams) (*api.FixturePage, error) {
	r, err := c.ListFixturesWithResponse(ctx, &p)
	if err != nil {
		return nil, err
	}
	return ok(r.JSON200, r.Body, nil)
}

func (c client) markets(ctx context.Context, fixture string, p api.ListMarketsParams) (*api.MarketPage, error) {
	r, err := c.ListMarketsWithResponse(ctx, fixture, &p)
	if err != nil {
		return nil, err
	}
	return ok(r.JSON200, r.Body, nil)
}

func (c client) changes(ctx context.Context, p api.ListChangesParams) (*api.ChangePage, error) {
	r, err := c.ListChangesWithResponse(ctx, &p)
	if err != nil {
		return nil, err
	}
	return ok(r.JSON200, r.Body, nil)
}

// report is what the program prints.
type report struct {
	Fixtures []string `json:"fixtures"`
	Prices   []price  `json:"prices"` // of the first fixture that has markets
	LastSeq  int      `json:"last_seq"`
	Refusals []string `json:"refusals"`
}

type price struct {
	SelectionID string      `json:"selection_id"`
	Decimal     json.Number `json:"decimal"`
}

func run(ctx context.Context, base, token string) (report, error) {
	c, err := connect(base, token)
	if err != nil {
		return report{}, err
	}
	out, limit := report{Fixtures: []string{}, Prices: []price{}}, 200

	// All fixtures. The changes since the first page are followed below.
	var position, chosen string
	for next := (*string)(nil); ; {
		page, err := c.fixtures(ctx, api.ListFixturesParams{Limit: &limit, Cursor: next})
		if err != nil {
			return out, err
		}
		if position == "" {
			position = page.Meta.ChangesCursor
		}
		for _, f := range page.Data {
			out.Fixtures = append(out.Fixtures, f.FixtureId)
			if chosen == "" && f.MarketCount > 0 {
				chosen = f.FixtureId
			}
		}
		if next = page.Pagination.NextCursor; !page.Pagination.HasMore {
			break
		}
	}

	// The prices of one fixture that may be shown.
	for next := (*string)(nil); chosen != ""; {
		page, err := c.markets(ctx, chosen, api.ListMarketsParams{Limit: &limit, Cursor: next})
		if err != nil {
			return out, err
		}
		for _, m := range page.Data {
			for _, s := range m.Selections {
				if m.OriginType == api.MAPPED && s.Quality.Publishable && s.SelectionId != nil && s.Odds.Decimal != nil {
					out.Prices = append(out.Prices, price{*s.SelectionId, *s.Odds.Decimal})
				}
			}
		}
		if next = page.Pagination.NextCursor; !page.Pagination.HasMore {
			break
		}
	}

	// The changes, until there are no more for now. A program that runs on polls from here.
	for {
		page, err := c.changes(ctx, api.ListChangesParams{Limit: &limit, Cursor: &position})
		if err != nil {
			return out, err // INVALID_CURSOR: the position left the log; read everything again
		}
		position, out.LastSeq = page.Pagination.NextCursor, page.Meta.Window.LastSeq
		if !page.Pagination.HasMore {
			break
		}
	}

	// Refusals, by their codes.
	stranger, err := connect(base, "mkt_unknown")
	if err != nil {
		return out, err
	}
	_, unknownToken := stranger.fixtures(ctx, api.ListFixturesParams{})
	_, unknownFixture := c.markets(ctx, "fx_unknown", api.ListMarketsParams{})
	for _, err := range []error{unknownToken, unknownFixture} {
		var r refusal
		if !errors.As(err, &r) {
			return out, fmt.Errorf("want a refusal, not %v", err)
		}
		out.Refusals = append(out.Refusals, string(r.Code))
	}
	return out, nil
}

func main() {
	out, err := run(context.Background(), os.Getenv("BASE"), os.Getenv("TOKEN"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(out)
}
