package betsapi

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/requests"
	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi/internal/api"
)

// Counters of the listing.
const (
	countReadings = "listing_readings"   // how often the whole listing was read
	countNoID     = "listing_without_id" // unusable items
	countTotal    = "listing_total"      // fixtures by the pager of an incomplete listing
	countSent     = "listing_sent"       // different fixtures in it
)

// asker sends the requests of one cycle.
type asker struct {
	*requests.Cycle
	listing provider.Request // without its page
	// untilEmpty asks for the pages of a list without a pager until one is empty.
	untilEmpty bool
}

// reading is the listing as one walk over its pages found it.
type reading struct {
	items    []decode.Item  // in the order of the pages, each fixture once
	ids      map[string]int // place in items
	total    int            // number of fixtures by the pager of the first page
	counted  bool           // every page was read, and all pagers say the same total
	listed   int            // items by the pages: a fixture that is twice on one page counts twice
	repeated bool           // a fixture was on two pages
	noID     int            // items without an id
	pages    int
}

// isComplete reports whether a reading has as many fixtures as the provider itself counts,
// none of them on two pages. Nothing else proves that none is missing: if a page is short,
// it is short in every reading.
func (r *reading) isComplete() bool {
	return r.counted && !r.repeated && r.noID == 0 && r.listed == r.total
}

// list reads the listing. It moves while it is read, so one that is not complete is
// read once more. The listing is complete if either reading is; the fixtures of both
// are used.
func (a *asker) list(ctx context.Context) ([]decode.Item, error) {
	first, err := a.readPages(ctx)
	if err != nil {
		return nil, err
	}
	if a.Asked.ListingComplete = first.isComplete(); a.Asked.ListingComplete {
		return first.items, nil
	}
	if a.Stopped() {
		a.countShort(first)
		return first.items, nil
	}
	second, err := a.readPages(ctx)
	if err != nil {
		if ctx.Err() != nil || decode.MustStop(err) {
			return nil, err
		}
		a.countShort(first)
		return first.items, nil
	}
	if a.Asked.ListingComplete = second.isComplete(); !a.Asked.ListingComplete {
		a.countShort(second)
	}
	for _, i := range first.items {
		if _, known := second.ids[i.ID]; !known {
			second.items = append(second.items, i)
		}
	}
	return second.items, nil
}

// countShort records the counts of an incomplete listing, which explain why nothing is
// removed.
func (a *asker) countShort(r *reading) {
	a.Count(countTotal, r.total)
	a.Count(countSent, len(r.items))
}

// readPages walks over the pages once. Only the first page's failure, and an error that
// must stop the run, is returned.
func (a *asker) readPages(ctx context.Context) (*reading, error) {
	a.Count(countReadings, 1)
	a.Expect(1)
	first, err := a.page(ctx, 1)
	if err != nil {
		return nil, err
	}
	pages := []*page{first}
	// As many pages as are sent at once are a group. A pager whose total is too high, or
	// a provider that sends one page again and again, costs one group and not all pages.
	for last, isNew := min(first.pages(), api.MaxPages), true; isNew && len(pages) < last && !a.Stopped(); {
		before := gather(pages)
		more, err := a.pages(ctx, len(pages)+1, min(len(pages)+max(1, a.Concurrency()), last))
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
		after := gather(pages)
		isNew = slices.Contains(more, nil) || len(after.items) > len(before.items) || after.noID > before.noID
	}
	// The list may have grown, and its pages may hold fewer items than the pager says.
	for n := len(pages) + 1; n <= api.MaxPages && !a.Stopped() && a.mayGoOn(pages); n++ {
		more, err := a.pages(ctx, n, n)
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	r := gather(pages)
	r.counted = r.counted && len(pages) >= min(first.pages(), api.MaxPages)
	a.Count(countNoID, r.noID)
	return r, nil
}

// pages asks for the pages from..to at once. One that fails is nil. A used up quota stops
// the cycle, and not the other pages, which are paid for.
func (a *asker) pages(ctx context.Context, from, to int) ([]*page, error) {
	a.Expect(to - from + 1)
	pages := make([]*page, to-from+1)
	err := a.Each(ctx, len(pages), func(ctx context.Context, i int) error {
		if a.Stopped() {
			return nil
		}
		p, err := a.page(ctx, from+i)
		switch {
		case err != nil && (ctx.Err() != nil || decode.MustStop(err)):
			return err
		case decode.KindOf(err) == provider.Limited:
			a.Fail(err)
		}
		pages[i] = p
		return nil
	})
	return pages, err
}

// page is one answer of the listing; nil if the request failed.
type page struct {
	items []decode.Item
	noID  int
	pager
}

// mayGoOn reports whether another page may follow: the last one had something that
// none before it had, and its pager, if it has one, names more pages or more items
// than were read.
func (a *asker) mayGoOn(pages []*page) bool {
	last := pages[len(pages)-1]
	if last == nil {
		return false
	}
	before := gather(pages[:len(pages)-1])
	isNew := func(i decode.Item) bool { _, known := before.ids[i.ID]; return !known }
	switch {
	case last.noID == 0 && !slices.ContainsFunc(last.items, isNew):
		return false
	case last.perPage == 0:
		return a.untilEmpty
	}
	all := gather(pages)
	return len(pages) < last.pages() || all.listed+all.noID < last.total && !slices.Contains(pages, nil)
}

func (a *asker) page(ctx context.Context, n int) (*page, error) {
	defer a.Step()
	question := a.listing
	question.Query = maps.Clone(question.Query)
	question.Query.Set(api.ParamPage, strconv.Itoa(n))
	payload, err := a.Get(ctx, question)
	if err != nil {
		return nil, err
	}
	d := decode.Document()
	defer decode.Release(d)
	envelope, results, err := readEnvelope(d, payload)
	if err != nil {
		return nil, decode.Unreadable(fmt.Sprintf("%s page %d", question.Endpoint, n), err)
	}
	p := &page{}
	for v := range results.Items() {
		i, broken := readItem(v, nil, new(decode.Counts)) // counted where the archive is read
		if broken != "" {
			p.noID++
			continue
		}
		p.items = append(p.items, i)
	}
	if err := decode.CheckIDs(len(p.items)+p.noID, len(p.items)); err != nil {
		return nil, decode.Unreadable(fmt.Sprintf("%s page %d", question.Endpoint, n), err)
	}
	p.pager, _ = readPager(envelope.Get(api.KeyPager))
	return p, nil
}

// gather joins the pages of one reading.
func gather(pages []*page) *reading {
	r := &reading{ids: make(map[string]int), counted: true, pages: len(pages)}
	for n, p := range pages {
		if p == nil {
			r.counted = false
			continue
		}
		if n == 0 {
			r.total = p.total
		}
		r.counted = r.counted && p.perPage > 0 && p.total == r.total && p.pages() <= api.MaxPages
		r.noID += p.noID
		before := len(r.items)
		for _, i := range p.items {
			if at, known := r.ids[i.ID]; known {
				if r.items[at] = i; at >= before {
					r.listed++
				} else {
					r.repeated = true
				}
				continue
			}
			r.listed++
			r.ids[i.ID] = len(r.items)
			r.items = append(r.items, i)
		}
	}
	return r
}
