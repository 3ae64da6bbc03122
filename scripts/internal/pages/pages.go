// Package pages names the pages of the API for a load.
package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Get requests a path below the API of a server, such as /fixtures. If tag is not empty, the answer
// may be 304.
func Get(ctx context.Context, client *http.Client, base, token, path, tag string) (*http.Response, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v1"+path, nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if tag != "" {
		r.Header.Set("If-None-Match", tag)
	}
	a, err := client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	return a, body, err
}

// Fixtures returns the ids of an account's fixtures with a full page of markets. It waits while
// the server loads the account.
func Fixtures(ctx context.Context, client *http.Client, base, token string) (ids []string, err error) {
	deadline := time.Now().Add(2 * time.Minute)
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				ID      string `json:"fixture_id"`
				Markets int    `json:"market_count"`
			}
			Pagination struct {
				Next *string `json:"next_cursor"`
			}
		}
		answer, body, err := Get(ctx, client, base, token, "/fixtures?limit=200"+cursor, "")
		if err == nil && answer.StatusCode == http.StatusServiceUnavailable && time.Now().Before(deadline) {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if err == nil && answer.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", answer.StatusCode)
		}
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if err != nil {
			return nil, fmt.Errorf("list the fixtures: %w", err)
		}
		for _, f := range page.Data {
			if f.Markets >= 50 {
				ids = append(ids, f.ID)
			}
		}
		if page.Pagination.Next == nil {
			break
		}
		cursor = "&cursor=" + *page.Pagination.Next
	}
	if len(ids) == 0 {
		return nil, errors.New("no fixture has a page of markets")
	}
	return ids, nil
}

// Cold returns the path of a page of about 50 markets. It repeats a path only after so many
// others that the cache has lost it.
func Cold(ids []string, n int) string {
	return "/fixtures/" + ids[n%len(ids)] + "/markets?limit=" + strconv.Itoa(40+n/len(ids)%21)
}
