package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/history"
	"mkt/publish/durable"
	"mkt/publish/football"
)

// formTime reads a time of a form, in UTC; zero for an empty one.
func formTime(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", time.DateOnly, time.RFC3339Nano} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, badRequest("%s=%s: want a time in UTC such as 2026-11-21T14:05.", name, text)
}

// openFixture reads the account and the fixture of an address, and opens the account's markets.
func (c *Console) openFixture(r *http.Request) (d dataset.Dataset, id string, root *durable.Disk, err error) {
	if d, err = c.dataset(r.PathValue("account"), string(football.MarketEngine)); err != nil {
		return d, "", nil, err
	}
	if id = r.PathValue("fixture"); len(id) > 64 || !strings.HasPrefix(id, "fx_") {
		return d, "", nil, badRequest("%q is not the id of a fixture.", id)
	}
	root, err = d.Open()
	return d, id, root, err
}

// marketLink returns the address of a market's page with choices.
func marketLink(account, fixture, market string, q url.Values) string {
	link := fmt.Sprintf("/fixtures/%s/%s/%s", account, fixture, url.PathEscape(market))
	if len(q) > 0 {
		link += "?" + q.Encode()
	}
	return link
}

// explainLink returns the address of an explanation as of a version.
func explainLink(account string, product football.Product, version uint64, target ...string) string {
	for i := range target {
		target[i] = url.PathEscape(target[i])
	}
	return fmt.Sprintf("/explain/%s/%s/%s?at=v%d", account, product, strings.Join(target, "/"), version)
}

// unknownFixture returns an error for the reader if a fixture is not in the kept publications.
func unknownFixture(err error, account, id string) error {
	if errors.Is(err, history.ErrUnknown) {
		return notFound("No kept publication of account %s has the fixture %s.", account, id)
	}
	return err
}
