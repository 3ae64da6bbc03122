package tail

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Options of Run.
type Options struct {
	BaseURL string // of the service, without /api/v1
	Token   string
	Every   time.Duration // between looks when nothing more is there; 0 = 2 s
	Verify  bool          // compare with the service whenever the end is reached
	Once    bool          // end when the end is reached
	Report  func(News)
}

// News is one thing that happened. Exactly one of its parts says what.
type News struct {
	Kind     string   // "bootstrap", "event", "verified", "start_again", "unreachable"
	Event    *Event   // of an event
	Fixture  *Fixture // as it is held behind the event; nil when it is gone
	Fixtures int      // held
	Cause    error    // of unreachable
}

// ErrDiffers is returned if what was followed differs from what the service has.
var ErrDiffers = errors.New("the state that was followed differs from the service's")

// mostBeginnings is how often Run starts again without reaching the end.
const mostBeginnings = 3

// Run follows the changes until ctx is done, or with Once until the end is reached. It
// returns a *Refused if the service refuses, also if it refuses several positions in a row
// that it gave itself. It returns ErrUnreachable only before anything was read, or with
// Once; otherwise it waits until the service is back.
func Run(ctx context.Context, o Options) error {
	if o.Every <= 0 {
		o.Every = 2 * time.Second
	}
	s := &state{client: &client{base: strings.TrimSuffix(o.BaseURL, "/"), token: o.Token, http: &http.Client{}}}
	for beginnings := 1; ; {
		err := o.follow(ctx, s)
		var refused *Refused
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && o.Once:
			return nil
		case err == nil:
			beginnings = 1
		case errors.As(err, &refused) && refused.Code == "INVALID_CURSOR" && beginnings < mostBeginnings:
			s.fixtures, s.cursor = nil, "" // the position has left the log
			beginnings++
			o.Report(News{Kind: "start_again"})
			continue
		case errors.Is(err, ErrUnreachable) && s.fixtures != nil && !o.Once:
			o.Report(News{Kind: "unreachable", Fixtures: len(s.fixtures), Cause: err})
		default:
			return err
		}
		if pause(ctx, o.Every) != nil {
			return nil
		}
	}
}

// follow reads from the position of the state to the end of the log.
func (o *Options) follow(ctx context.Context, s *state) error {
	if s.fixtures == nil {
		if err := s.bootstrap(ctx); err != nil {
			return err
		}
		o.Report(News{Kind: "bootstrap", Fixtures: len(s.fixtures)})
	}
	for more := true; more; {
		events, further, err := s.next(ctx)
		if err != nil {
			return err
		}
		for i := range events {
			n := News{Kind: "event", Event: &events[i], Fixtures: len(s.fixtures)}
			if f, ok := s.fixtures[events[i].FixtureID]; ok {
				n.Fixture = &f
			}
			o.Report(n)
		}
		if more = further; !more && o.Verify {
			return o.verify(ctx, s)
		}
	}
	return nil
}

// verify pages the fixtures again and compares, unless the service has published
// meanwhile.
func (o *Options) verify(ctx context.Context, s *state) error {
	theirs, cursor, err := s.list(ctx)
	if err != nil || cursor != s.cursor {
		return err
	}
	if p, err := s.client.collection(ctx, "/changes", s.cursor); err != nil || len(p.Data) > 0 {
		return err // it went on while it was paged: the pages may be of two snapshots
	}
	for _, id := range slices.Sorted(maps.Keys(theirs)) {
		f := theirs[id]
		ours, ok := s.fixtures[id]
		if f.digest = ours.digest; !ok || !reflect.DeepEqual(ours, f) {
			return fmt.Errorf("%w: fixture %s", ErrDiffers, id)
		}
	}
	if len(theirs) != len(s.fixtures) {
		return fmt.Errorf("%w: %d fixtures are held, the service has %d", ErrDiffers, len(s.fixtures), len(theirs))
	}
	o.Report(News{Kind: "verified", Fixtures: len(theirs)})
	return nil
}
