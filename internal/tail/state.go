package tail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Event is one change event.
type Event struct {
	Seq           uint64  `json:"seq"`
	Type          string  `json:"type"`
	FixtureID     string  `json:"fixture_id"`
	PublishedAt   string  `json:"published_at"`
	CycleID       string  `json:"cycle_id"`
	ContentDigest *string `json:"content_digest"`
}

// Fixture is a fixture of GET /fixtures.
type Fixture struct {
	FixtureID   string  `json:"fixture_id"`
	Home        *string `json:"home"`
	Away        *string `json:"away"`
	League      *string `json:"league"`
	StartsAt    *string `json:"starts_at"`
	MarketCount int     `json:"market_count"`

	ContentDigest string `json:"content_digest"`
}

// state is the fixtures of an account at a position of the change log.
type state struct {
	client   *client
	fixtures map[string]Fixture
	cursor   string
	resume   string // position of an earlier run to begin at
	verified bool   // since the last event
}

// bootstrap pages through all fixtures. The position is that of the first page: later changes
// come again as events.
func (s *state) bootstrap(ctx context.Context) error {
	fixtures, cursor, err := s.list(ctx)
	if err != nil {
		return err
	}
	s.fixtures, s.cursor = fixtures, cursor
	return nil
}

func (s *state) list(ctx context.Context) (fixtures map[string]Fixture, cursor string, err error) {
	fixtures = map[string]Fixture{}
	for next := ""; ; {
		p, err := s.client.collection(ctx, "/fixtures", next)
		if err != nil {
			return nil, "", fmt.Errorf("fixtures: %w", err)
		}
		if cursor == "" {
			cursor = p.Meta.ChangesCursor
		}
		for _, item := range p.Data {
			var f Fixture
			if err := json.Unmarshal(item, &f); err != nil {
				return nil, "", fmt.Errorf("fixtures: %w", err)
			}
			fixtures[f.FixtureID] = f
		}
		if !p.Pagination.HasMore || p.Pagination.NextCursor == nil {
			return fixtures, cursor, nil
		}
		next = *p.Pagination.NextCursor
	}
}

// next reads the next page of changes. It returns the events, and whether there are more.
func (s *state) next(ctx context.Context) (events []Event, more bool, err error) {
	p, err := s.client.collection(ctx, "/changes", s.cursor)
	if err != nil {
		return nil, false, fmt.Errorf("changes: %w", err)
	}
	for _, item := range p.Data {
		var e Event
		if err := json.Unmarshal(item, &e); err != nil {
			return nil, false, fmt.Errorf("changes: %w", err)
		}
		events = append(events, e)
	}
	if p.Pagination.NextCursor == nil {
		return nil, false, errors.New("changes: a page without a cursor")
	}
	if err := s.apply(ctx, events); err != nil {
		return nil, false, err
	}
	s.cursor = *p.Pagination.NextCursor
	return events, p.Pagination.HasMore, nil
}

// fewFetches is the most fixtures fetched one by one; for more the list is cheaper.
const fewFetches = 20

// apply updates the fixtures to the end of a page. A fixture whose digest did not change is not
// fetched.
func (s *state) apply(ctx context.Context, events []Event) error {
	stale := map[string]bool{}
	for _, e := range events {
		if e.Type == "fixture_removed" {
			delete(s.fixtures, e.FixtureID)
			delete(stale, e.FixtureID)
		} else if held, ok := s.fixtures[e.FixtureID]; !ok || e.ContentDigest == nil || held.ContentDigest != *e.ContentDigest {
			stale[e.FixtureID] = true
		}
	}
	if len(stale) > fewFetches {
		fixtures, _, err := s.list(ctx)
		if err != nil {
			return err
		}
		s.fixtures = fixtures
		return nil
	}
	for id := range stale {
		if err := s.fetch(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// fetch reads one fixture, and removes it if it does not exist any more.
func (s *state) fetch(ctx context.Context, id string) error {
	var answer struct{ Data Fixture }
	err := s.client.get(ctx, "/fixtures/"+id, &answer)
	var refused *Refused
	switch {
	case errors.As(err, &refused) && refused.Code == "FIXTURE_NOT_FOUND":
		delete(s.fixtures, id)
	case err != nil:
		return fmt.Errorf("fixture %s: %w", id, err)
	default:
		s.fixtures[id] = answer.Data
	}
	return nil
}
