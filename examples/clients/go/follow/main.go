// This program reads everything once, then polls the changes: docs/clients.md has the steps. BASE is the service,
// TOKEN the account's. It needs no client of its own, because it uses few fields.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"
)

type page struct {
	Data []struct {
		FixtureID string `json:"fixture_id"`
		Type      string `json:"type"`
	} `json:"data"`
	Pagination struct {
		NextCursor *string `json:"next_cursor"`
		HasMore    bool    `json:"has_more"`
	} `json:"pagination"`
	Meta struct {
		ChangesCursor string `json:"changes_cursor"`
	} `json:"meta"`
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
}

func get(path, cursor string) (p page, err error) {
	query := url.Values{"limit": {"200"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	r, err := http.NewRequest("GET", os.Getenv("BASE")+"/api/v1"+path+"?"+query.Encode(), nil)
	if err != nil {
		return p, err
	}
	r.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return p, err
	}
	defer answer.Body.Close()
	return p, json.NewDecoder(answer.Body).Decode(&p)
}

// bootstrap pages the fixtures; cursor is the position of the first page.
func bootstrap(fixtures map[string]bool) (cursor string, err error) {
	clear(fixtures)
	for next := ""; ; {
		p, err := get("/fixtures", next)
		if err != nil || p.Error.Code != "" {
			return "", fmt.Errorf("fixtures: %s %v", p.Error.Code, err)
		}
		if cursor == "" {
			cursor = p.Meta.ChangesCursor
		}
		for _, f := range p.Data {
			fixtures[f.FixtureID] = true
		}
		if !p.Pagination.HasMore {
			return cursor, nil
		}
		next = *p.Pagination.NextCursor
	}
}

func main() {
	fixtures, cursor := map[string]bool{}, ""
	for wait := time.Duration(0); ; time.Sleep(wait) {
		if wait = 2 * time.Second; cursor == "" {
			var err error
			if cursor, err = bootstrap(fixtures); err != nil {
				log.Print(err)
				continue
			}
		}
		p, err := get("/changes", cursor)
		switch {
		case p.Error.Code == "INVALID_CURSOR":
			cursor, wait = "", 0 // the position is no longer in the log: begin again
			continue
		case err != nil || p.Error.Code != "":
			log.Print(p.Error.Code, err)
			continue
		}
		for _, e := range p.Data {
			if e.Type == "fixture_removed" {
				delete(fixtures, e.FixtureID)
			} else {
				fixtures[e.FixtureID] = true // read what you need of the fixture here
			}
		}
		if cursor = *p.Pagination.NextCursor; p.Pagination.HasMore {
			wait = 0
		}
		fmt.Println(len(fixtures), len(p.Data), "events")
	}
}
