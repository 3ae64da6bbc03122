package tail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Refused is a final error of the service: repeating the request would not change it.
type Refused struct{ Code, Message string }

// Error implements error.
func (e *Refused) Error() string { return e.Code + ": " + e.Message }

// ErrUnreachable is returned if the service does not answer, or answers with a 5xx status.
var ErrUnreachable = errors.New("the service is not reachable")

type client struct {
	base, token string
	http        *http.Client
}

// requestTimeout and maxBody bound one answer.
const (
	requestTimeout = 30 * time.Second
	maxBody        = 16 << 20
)

// page is the part of a collection's page used by this client.
type page struct {
	Data       []json.RawMessage
	Pagination struct {
		NextCursor *string `json:"next_cursor"`
		HasMore    bool    `json:"has_more"`
	}
	Meta struct {
		ChangesCursor string `json:"changes_cursor"`
	}
}

// collection gets a page of 200 after a cursor, "" for the first.
func (c *client) collection(ctx context.Context, path, cursor string) (p page, err error) {
	query := url.Values{"limit": {"200"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return p, c.get(ctx, path+"?"+query.Encode(), &p)
}

// get sends a request, again after each refusal by the rate limit.
func (c *client) get(ctx context.Context, path string, into any) error {
	for {
		wait, err := c.try(ctx, path, into)
		if wait == 0 {
			return err
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

func (c *client) try(ctx context.Context, path string, into any) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/api/v1"+path, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	a, err := c.http.Do(r)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(io.LimitReader(a.Body, maxBody))
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if a.StatusCode == http.StatusTooManyRequests {
		seconds, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		return time.Duration(max(1, seconds)) * time.Second, nil
	}
	if a.StatusCode == http.StatusOK {
		return 0, json.Unmarshal(body, into)
	}
	var refusal struct{ Error Refused }
	if json.Unmarshal(body, &refusal) != nil || refusal.Error.Code == "" {
		return 0, fmt.Errorf("status %d without an error of the API: check the base URL", a.StatusCode)
	}
	if a.StatusCode >= 500 {
		return 0, fmt.Errorf("%w: %w", ErrUnreachable, &refusal.Error)
	}
	return 0, &refusal.Error
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
