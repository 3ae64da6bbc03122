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

// Options are the options of [Run].
type Options struct {
	BaseURL string // of the service, without /api/v1
	Token   string
	Every   time.Duration // pause at the end of the log; 0: 2 s
	Verify  bool          // compare with the service at the end of the log
	Once    bool          // stop at the end of the log
	Report  func(News)

	// Cursor is the position in the change log to begin at, of an earlier run. If it is "",
	// or is no longer in the log, Run begins with all fixtures.
	Cursor string
	// Deliver, if not nil, is called with every batch: all fixtures ("bootstrap" and a
	// "fixture" for each) when Run begins with them, otherwise the events of a page. cursor is
	// the position after it. An error ends Run.
	Deliver func(ctx context.Context, batch []News, cursor string) error
}

// News is one event for the caller. Kind says which of the other fields is set.
type News struct {
	Kind     string   // "bootstrap", "resumed", "event", "verified", "start_again", "unreachable", "reachable"; "fixture" in a batch
	Event    *Event   // of "event"
	Fixture  *Fixture // of "fixture"; of "event" its new state, nil if the fixture was removed
	Fixtures int      // number of fixtures known
	Cause    error    // of "unreachable"
}

// ErrDiffers is the error for a followed state different from the service's.
var ErrDiffers = errors.New("the state built from the changes differs from the service's")

// maxRestarts is how often [Run] starts again before it reaches the end of the log.
const maxRestarts = 3

// Run follows the changes until ctx is done, or with Once to the end of the log. It returns a
// *[Refused] if the service refuses, even if it refuses several of its own positions in a row. It
// returns [ErrUnreachable] only before anything was read, or with Once; otherwise it waits for the
// service. It reports only changes of its two conditions: the service is reachable or not, and the
// state is the service's or not.
func Run(ctx context.Context, o Options) error {
	if o.Every <= 0 {
		o.Every = 2 * time.Second
	}
	s := &state{client: &client{base: strings.TrimSuffix(o.BaseURL, "/"), token: o.Token, http: &http.Client{}}, resume: o.Cursor}
	reported := "" // the cause of the last "unreachable", "" while the service is reachable
	reachable := func() {
		if reported != "" {
			reported = ""
			o.Report(News{Kind: "reachable", Fixtures: len(s.fixtures)})
		}
	}
	for beginnings := 1; ; {
		err := o.follow(ctx, s, reachable)
		var refused *Refused
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && o.Once:
			return nil
		case err == nil:
			beginnings = 1
		case errors.As(err, &refused) && refused.Code == "INVALID_CURSOR" && beginnings < maxRestarts:
			s.fixtures, s.cursor, s.resume, s.verified = nil, "", "", false // the log does not reach back to the position any more
			beginnings++
			o.Report(News{Kind: "start_again"})
			continue
		case errors.Is(err, ErrUnreachable) && s.fixtures != nil && !o.Once:
			cause := ErrUnreachable.Error()
			if errors.As(err, &refused) {
				cause = refused.Error()
			}
			if reported != cause {
				reported = cause
				o.Report(News{Kind: "unreachable", Fixtures: len(s.fixtures), Cause: err})
			}
		default:
			return err
		}
		if pause(ctx, o.Every) != nil {
			return nil
		}
	}
}

// follow reads from the current position to the end of the log. It calls reachable after every
// answer.
func (o *Options) follow(ctx context.Context, s *state, reachable func()) error {
	if s.fixtures == nil {
		if err := o.begin(ctx, s); err != nil {
			return err
		}
	}
	for more := true; more; {
		events, further, err := s.next(ctx)
		if err != nil {
			return err
		}
		reachable()
		var batch []News
		for i := range events {
			n := News{Kind: "event", Event: &events[i], Fixtures: len(s.fixtures)}
			if f, ok := s.fixtures[events[i].FixtureID]; ok {
				n.Fixture = &f
			}
			o.Report(n)
			batch = append(batch, n)
		}
		if len(batch) > 0 {
			s.verified = false
			if err := o.deliver(ctx, batch, s.cursor); err != nil {
				return err
			}
		}
		if more = further; !more && o.Verify {
			return o.verify(ctx, s)
		}
	}
	return nil
}

// begin reads all fixtures. At the position of an earlier run they are not delivered, because
// the events after it have the changes.
func (o *Options) begin(ctx context.Context, s *state) error {
	if err := s.bootstrap(ctx); err != nil {
		return err
	}
	if s.resume != "" {
		s.cursor = s.resume
		o.Report(News{Kind: "resumed", Fixtures: len(s.fixtures)})
		return nil
	}
	first := News{Kind: "bootstrap", Fixtures: len(s.fixtures)}
	o.Report(first)
	batch := []News{first}
	for _, id := range slices.Sorted(maps.Keys(s.fixtures)) {
		f := s.fixtures[id]
		batch = append(batch, News{Kind: "fixture", Fixture: &f, Fixtures: len(s.fixtures)})
	}
	if err := o.deliver(ctx, batch, s.cursor); err != nil {
		s.fixtures = nil
		return err
	}
	return nil
}

func (o *Options) deliver(ctx context.Context, batch []News, cursor string) error {
	if o.Deliver == nil {
		return nil
	}
	return o.Deliver(ctx, batch, cursor)
}

// verify compares with the list of fixtures, unless the service publishes meanwhile.
func (o *Options) verify(ctx context.Context, s *state) error {
	theirs, cursor, err := s.list(ctx)
	if err != nil || cursor != s.cursor {
		return err
	}
	if p, err := s.client.collection(ctx, "/changes", s.cursor); err != nil || len(p.Data) > 0 {
		return err // published meanwhile: the pages may be of two snapshots
	}
	for _, id := range slices.Sorted(maps.Keys(theirs)) {
		if ours, ok := s.fixtures[id]; !ok || !reflect.DeepEqual(ours, theirs[id]) {
			return fmt.Errorf("%w: fixture %s", ErrDiffers, id)
		}
	}
	if len(theirs) != len(s.fixtures) {
		return fmt.Errorf("%w: %d fixtures are held, the service has %d", ErrDiffers, len(s.fixtures), len(theirs))
	}
	if !s.verified {
		s.verified = true
		o.Report(News{Kind: "verified", Fixtures: len(theirs)})
	}
	return nil
}
