package apifootball

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball/internal/api"
)

const (
	// detailsEvery is how long the details of a cycle are used: everything in them but the
	// statistics is in the list as well.
	detailsEvery = 52 * time.Second
	detailWithin = 5 * time.Second // afterwards no more details are asked for in a cycle
	// maxEnded bounds the fixtures that a cycle asks for because they have left the list. A
	// list that has lost more is wrong, and they will be back.
	maxEnded = 5 * api.MaxIDs
)

// Counters of a live cycle, besides those of provider.Asked.
const (
	countDetails = "details"         // fixtures whose details were fetched
	countSkipped = "details_not_due" // fixtures whose statistics cannot be new, or for which the quota is too small
	countCutOff  = "details_cut_off" // fixtures whose turn it was, when the cycle's time or the quota was used up
	countNotLive = "not_in_play"     // listed, and not in play any more, or not yet
)

// liveAdapter is the provider's live adapter. It has no state.
type liveAdapter struct{ decode.LiveReader }

// Ask implements [provider.LiveAdapter]. It requests the list, which has clock, score and
// events of every fixture in play, and then details, twenty fixtures to a request. The
// fixtures in play are requested once a minute, for their statistics. A fixture that has
// left the list is requested once, to learn how it ended, and again after a minute if the
// request failed. resume has the time of the last request for details of those in play, in
// seconds since 1970, and the fixtures then in play.
func (liveAdapter) Ask(ctx context.Context, x provider.Exchange, resume string) (provider.Asked, error) {
	a := asker{requests.New(x)}
	a.Asked.Resume = resume
	late, cancel := context.WithTimeout(ctx, detailWithin)
	defer cancel()
	ids, err := a.inPlay(ctx)
	if err != nil {
		return a.Asked, err
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
		a.Count(countSkipped, len(ids))
		playing = nil
	}
	done, err := a.details(ctx, late, batches)
	for n, batch := range batches[:ended] {
		if done[n] != batchReceived {
			failed = append(failed, batch...)
		}
	}
	next.failed = failed[:min(len(failed), maxEnded)]
	if len(playing) > 0 && err == nil && !slices.Contains(done[ended:], batchNotSent) {
		next.asked = strconv.FormatInt(now.Unix(), 10)
	}
	a.Asked.Resume = next.String()
	return a.Result(err)
}

func batchesOf(ids []string) [][]string { return slices.Collect(slices.Chunk(ids, api.MaxIDs)) }

// resumption is the state that a cycle leaves for the next one.
type resumption struct {
	asked   string   // when the details of matches in play were last requested, in seconds since 1970; "" if never
	playing []string // the fixtures in play
	failed  []string // the fixtures whose details were not received after they left the list
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
	return strings.Split(text, api.IDSeparator)
}

func (r resumption) String() string {
	return strings.TrimRight(r.asked+" "+strings.Join(r.playing, api.IDSeparator)+" "+strings.Join(r.failed, api.IDSeparator), " ")
}

// without returns the fixtures that are not listed.
func without(ids, listed []string) []string {
	has := make(map[string]bool, len(listed))
	for _, id := range listed {
		has[id] = true
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return has[id] })
}

// isDue reports whether statistics may be new since the details were last requested.
func (r resumption) isDue(now time.Time) bool {
	last, err := strconv.ParseInt(r.asked, 10, 64)
	since := now.Sub(time.Unix(last, 0))
	return err != nil || since < 0 || since >= detailsEvery
}

// affords reports whether the quota has so many requests left. It returns true if that is
// not known.
func affords(x provider.Exchange, requests int) bool {
	q, known := x.Quota()
	return !known || q.Left >= requests
}

// inPlay reads the list and returns the fixtures in play.
func (a asker) inPlay(ctx context.Context) (ids []string, err error) {
	a.Expect(1)
	p, _, err := a.get(ctx, provider.Request{Endpoint: api.EndpointLive, Path: api.PathFixtures, Query: url.Values{api.ParamLive: {api.LiveAll}}})
	if err != nil {
		return nil, err
	}
	doc := decode.Document()
	defer decode.Release(doc)
	envelope, items, err := readEnvelope(doc, p)
	if err != nil {
		return nil, decode.Unreadable(api.EndpointLive, err)
	}
	said, ok := readPaging(envelope)
	a.Asked.ListingComplete = ok && said.total <= 1
	var ignored decode.Counts
	for v := range items.Items() {
		i, broken := readItem(v, nil, &ignored)
		switch {
		case broken != "":
			a.Asked.ListingComplete = false
			a.Count(countNoID, 1)
		case i.Rule() != "":
			a.Asked.Filtered++
		case inPlay[i.State]:
			a.Asked.Listed++
			ids = append(ids, strings.Clone(i.ID))
		default:
			a.Count(countNotLive, 1)
		}
	}
	return ids, nil
}

// Outcomes of a batch of details.
const (
	batchNotSent = iota // the cycle's time or the quota was used up
	batchFailed         // the request failed
	batchReceived
)

// details requests the details of fixtures until late ends, and returns the outcome of
// each batch. An error is returned if the run must stop.
func (a asker) details(ctx, late context.Context, batches [][]string) (done []int, err error) {
	a.Expect(len(batches))
	done = make([]int, len(batches))
	err = a.Each(late, len(batches), func(late context.Context, n int) error {
		if late.Err() != nil {
			return nil
		}
		p, fatal, err := a.get(late, provider.Request{Endpoint: api.EndpointDetails, Path: api.PathFixtures, Query: url.Values{
			api.ParamIDs: {strings.Join(batches[n], api.IDSeparator)},
		}})
		if err == nil {
			_, err = readLive([]provider.Payload{p})
		}
		switch {
		case ctx.Err() != nil:
			return err
		case err == nil:
			a.Count(countDetails, len(batches[n]))
			done[n] = batchReceived
			return nil
		case err == errStopped || late.Err() != nil:
			return nil // the next cycle requests them first
		case fatal:
			return err
		}
		a.Fail(nil, batches[n]...)
		done[n] = batchFailed
		return nil
	})
	for n, batch := range batches {
		if done[n] == batchNotSent {
			a.Count(countCutOff, len(batch))
		}
	}
	return done, err
}
