package apifootball

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/answer"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/wire"
)

const (
	// detailsEvery is how long the details of a cycle last: the provider renews the
	// statistics every minute, and everything else that is in them is in the list.
	detailsEvery = 52 * time.Second
	detailWithin = 5 * time.Second // after that no more details are asked for in a cycle
	// maxEnded bounds the fixtures that a cycle asks for because they have left the list. A
	// list that has lost more is wrong, and they will be back.
	maxEnded = 5 * wire.MaxIDs
)

// Counters of a live cycle, beside those that provider.Asked has of its own.
const (
	countDetails = "details"         // fixtures whose detail was had
	countSkipped = "details_not_due" // fixtures whose statistics cannot be new, or for which the quota is not
	countCutOff  = "details_cut_off" // fixtures whose turn it was, when the cycle's time or the quota was used up
	countNotLive = "not_in_play"     // listed, and not in play any more, or not yet
)

// liveAdapter is the provider's live adapter. It has no state.
type liveAdapter struct{}

var _ provider.LiveAdapter = liveAdapter{}

// IsList implements provider.LiveAdapter.
func (liveAdapter) IsList(endpoint string) bool { return endpoint == wire.EndpointLive }

// IsDetail implements provider.LiveAdapter.
func (liveAdapter) IsDetail(endpoint string) bool { return endpoint == wire.EndpointDetails }

// Ask implements provider.LiveAdapter: the list, which holds clock, score and events of
// every fixture in play, then the details, twenty fixtures to a request: once a minute of
// those in play, for their statistics, and once of each that has left the list, which
// says how it ended, and again after a minute if that was not had. resume holds the time
// at which the details of those in play were asked for last, and what was in play.
func (liveAdapter) Ask(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error) {
	a := newAsker(x)
	a.asked.Resume = resume
	late, cancel := context.WithTimeout(ctx, detailWithin)
	defer cancel()
	ids, err := a.inPlay(ctx)
	if err != nil {
		return a.asked, err
	}
	before := readResume(resume)
	now := x.Now().UTC()
	next := resumption{asked: before.asked, playing: ids}
	gone, failed := without(before.playing, ids), without(before.failed, ids)
	if before.isDue(now) {
		gone, failed = append(gone, failed...), nil
	}
	batches := batchesOf(gone[:min(len(gone), maxEnded)])
	if !affords(x, len(batches)) {
		batches = nil
	}
	ended, playing := len(batches), batchesOf(ids)
	if before.isDue(now) && affords(x, ended+len(playing)) {
		batches = append(batches, playing...)
	} else {
		a.count(countSkipped, len(ids))
		playing = nil
	}
	done, err := a.details(ctx, late, batches)
	for n, batch := range batches[:ended] {
		if done[n] != batchHad {
			failed = append(failed, batch...)
		}
	}
	next.failed = failed[:min(len(failed), maxEnded)]
	if len(playing) > 0 && err == nil && !slices.Contains(done[ended:], batchNotSent) {
		next.asked = strconv.FormatInt(now.Unix(), 10)
	}
	a.asked.Resume = next.String()
	slices.Sort(a.asked.Failed)
	return a.asked, err
}

func batchesOf(ids []string) [][]string { return slices.Collect(slices.Chunk(ids, wire.MaxIDs)) }

// resumption is what a cycle leaves for the next one.
type resumption struct {
	asked   string   // when the details of what is in play were asked for, in seconds; "" if never
	playing []string // the fixtures in play
	failed  []string // the fixtures of which the details were not had after they left the list
}

func readResume(text string) (r resumption) {
	asked, ids, _ := strings.Cut(text, " ")
	playing, failed, _ := strings.Cut(ids, " ")
	return resumption{asked, splitIDs(playing), splitIDs(failed)}
}

func splitIDs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, wire.IDSeparator)
}

func (r resumption) String() string {
	return strings.TrimRight(r.asked+" "+strings.Join(r.playing, wire.IDSeparator)+" "+strings.Join(r.failed, wire.IDSeparator), " ")
}

// without returns the fixtures that are not listed.
func without(ids, listed []string) []string {
	has := make(map[string]bool, len(listed))
	for _, id := range listed {
		has[id] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return has[id] })
}

// isDue reports whether statistics may be new since the details were asked for last.
func (r resumption) isDue(now time.Time) bool {
	last, err := strconv.ParseInt(r.asked, 10, 64)
	since := now.Sub(time.Unix(last, 0))
	return err != nil || since < 0 || since >= detailsEvery
}

// affords reports whether the quota has so many requests left, as far as is known.
func affords(x provider.Exchange, requests int) bool {
	q, known := x.Quota()
	return !known || q.Left >= requests
}

// inPlay reads the list and returns the fixtures in play.
func (a *asker) inPlay(ctx context.Context) (ids []string, err error) {
	a.expect(1)
	p, _, err := a.get(ctx, provider.Request{Endpoint: wire.EndpointLive, Path: wire.PathFixtures, Query: url.Values{wire.ParamLive: {wire.LiveAll}}})
	if err != nil {
		return nil, err
	}
	doc := answer.Document()
	defer answer.Release(doc)
	items, err := readResponse(doc, p.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", wire.EndpointLive, answer.ErrUnreadable, err)
	}
	said, ok := readPaging(doc.Root())
	a.asked.ListingComplete = ok && said.total <= 1
	var ignored tally
	for v := range items.Items() {
		i, broken := readItem(v, nil, &ignored)
		switch {
		case broken != "":
			a.asked.ListingComplete = false
			a.count(countNoID, 1)
		case filterOf(&i) != "":
			a.asked.Filtered++
		case inPlay[i.status]:
			a.asked.Listed++
			ids = append(ids, strings.Clone(i.id))
		default:
			a.count(countNotLive, 1)
		}
	}
	return ids, nil
}

// What became of a batch of details.
const (
	batchNotSent = iota // the cycle's time or the quota was used up
	batchNotHad         // asked for in vain
	batchHad
)

// details asks for the details of fixtures, until late ends, and returns what became of
// each batch. An error is returned if the run must stop.
func (a *asker) details(ctx, late context.Context, batches [][]string) (done []int, err error) {
	a.expect(len(batches))
	done = make([]int, len(batches))
	err = a.each(late, len(batches), func(late context.Context, n int) error {
		if late.Err() != nil {
			return nil
		}
		p, fatal, err := a.get(late, provider.Request{Endpoint: wire.EndpointDetails, Path: wire.PathFixtures, Query: url.Values{
			wire.ParamIDs: {strings.Join(batches[n], wire.IDSeparator)},
		}})
		if err == nil {
			_, err = liveAdapter{}.ReadDetail(p)
		}
		switch {
		case ctx.Err() != nil:
			return err
		case err == nil:
			a.count(countDetails, len(batches[n]))
			done[n] = batchHad
			return nil
		case err == errStopped || late.Err() != nil:
			return nil // asked first in the next cycle
		case fatal:
			return err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.asked.Failed = append(a.asked.Failed, batches[n]...)
		done[n] = batchNotHad
		return nil
	})
	for n, batch := range batches {
		if done[n] == batchNotSent {
			a.count(countCutOff, len(batch))
		}
	}
	return done, err
}
