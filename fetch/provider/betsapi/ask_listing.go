package betsapi

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
)

// reading is the listing as one walk over its pages found it.
type reading struct {
	items []item         // in the order of the pages, each fixture once
	ids   map[string]int // place in items
	total int            // as the first page says
	whole bool           // every page was had, and all say the same total
	twice bool           // a fixture was met on two pages: the list moved
	noID  int            // items without an id
}

// exact tells whether a reading proves itself: as many fixtures as the provider
// says there are, none of them twice.
func (r *reading) exact() bool {
	return r.whole && !r.twice && r.noID == 0 && len(r.items) == r.total
}

// agrees tells whether two readings one after the other found the same.
func (r *reading) agrees(s *reading) bool {
	return r.whole && s.whole && r.total == s.total && r.noID == 0 && s.noID == 0 &&
		maps.EqualFunc(r.ids, s.ids, func(_, _ int) bool { return true })
}

// list reads the listing. It moves while it is read: a reading that does not
// prove itself is made once more. The listing is complete when one reading is
// exact or both agree; the fixtures of both are used.
func (a *asker) list(ctx context.Context) ([]item, error) {
	first, err := a.readPages(ctx)
	if err != nil {
		return nil, err
	}
	a.asked.ListingComplete = first.exact()
	if first.exact() {
		return first.items, nil
	}
	second, err := a.readPages(ctx)
	if err != nil {
		if ctx.Err() != nil || mustStop(err) {
			return nil, err
		}
		return first.items, nil
	}
	a.asked.ListingComplete = second.exact() || first.agrees(second)
	for _, i := range first.items {
		if _, known := second.ids[i.id]; !known {
			second.items = append(second.items, i)
		}
	}
	return second.items, nil
}

// readPages walks over the pages once. Only the first page's failure, and what
// must stop the run, is an error.
func (a *asker) readPages(ctx context.Context) (*reading, error) {
	a.count(countReadings, 1)
	a.expect(1)
	first, err := a.page(ctx, 1)
	if err != nil {
		return nil, err
	}
	pages := []*page{first}
	if last := min(first.pages(), maxPages); last > 1 {
		more, err := a.pages(ctx, 2, last)
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	// The list may have grown, and without a pager its end shows only in an
	// empty page.
	for n := len(pages) + 1; n <= maxPages && pages[len(pages)-1].mayGoOn(n-1); n++ {
		more, err := a.pages(ctx, n, n)
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	return gather(pages, a), nil
}

// pages asks for the pages from..to at once. One that fails is nil.
func (a *asker) pages(ctx context.Context, from, to int) ([]*page, error) {
	a.expect(to - from + 1)
	pages := make([]*page, to-from+1)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, a.x.Concurrency()))
	var mu sync.Mutex
	for n := from; n <= to; n++ {
		workers.Go(func() error {
			p, err := a.page(ctx, n)
			if err != nil && (ctx.Err() != nil || mustStop(err) || kindOf(err) == provider.Limited) {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			pages[n-from] = p
			return nil
		})
	}
	return pages, workers.Wait()
}

// page is one answer of the listing; a nil page is one that was not had.
type page struct {
	items          []item
	noID           int
	perPage, total int  // 0 when there is no pager
	badPager       bool // there is one, and it cannot be read
}

// pages is how many there are, by the pager.
func (p *page) pages() int {
	if p.perPage <= 0 {
		return 1
	}
	return (p.total + p.perPage - 1) / p.perPage
}

// mayGoOn tells whether something may follow page n, which this is.
func (p *page) mayGoOn(n int) bool {
	if p == nil || len(p.items)+p.noID == 0 {
		return false
	}
	return p.perPage <= 0 || n < p.pages()
}

func (a *asker) page(ctx context.Context, n int) (*page, error) {
	defer a.step()
	question := a.listing
	question.Query = maps.Clone(question.Query)
	question.Query.Set(paramPage, strconv.Itoa(n))
	answer, err := a.x.Get(ctx, question)
	if err != nil {
		return nil, err
	}
	var d strictjson.Document
	results, err := readResults(&d, answer.Body)
	if err != nil {
		return nil, fmt.Errorf("%s page %d: %w: %w", question.Endpoint, n, errAnswer, err)
	}
	p := &page{}
	for v := range results.Items() {
		i, broken := readItem(v, nil, new(tally)) // counted where the archive is read
		if broken != "" {
			p.noID++
			continue
		}
		p.items = append(p.items, i)
	}
	if err := withoutIDs(len(p.items)+p.noID, len(p.items)); err != nil {
		return nil, fmt.Errorf("%s page %d: %w: %w", question.Endpoint, n, errAnswer, err)
	}
	p.readPager(d.Root().Get(keyPager))
	return p, nil
}

// readPager reads how many pages there are. Of a pager that cannot be read nothing is
// believed.
func (p *page) readPager(pager strictjson.Value) {
	size, total := pager.Get("per_page"), pager.Get("total")
	switch {
	case pager.Kind() == strictjson.Absent, pager.Kind() == strictjson.Null:
	case pager.Repeats(), number(size) == 0, identifier(total) == "":
		p.badPager = true
	default:
		p.perPage, p.total = number(size), number(total)
	}
}

// number reads a small count, 0 when it is none.
func number(v strictjson.Value) int {
	id := identifier(v)
	if len(id) > 9 {
		return 0
	}
	n, _ := strconv.Atoi(id)
	return n
}

// gather joins the pages of one reading.
func gather(pages []*page, a *asker) *reading {
	r := &reading{ids: make(map[string]int), total: pages[0].total, whole: pages[0].perPage > 0}
	for _, p := range pages {
		if p == nil {
			r.whole = false
			continue
		}
		r.whole = r.whole && p.total == r.total
		r.noID += p.noID
		for _, i := range p.items {
			if at, known := r.ids[i.id]; known {
				r.twice, r.items[at] = true, i
				continue
			}
			r.ids[i.id] = len(r.items)
			r.items = append(r.items, i)
		}
	}
	r.whole = r.whole && pages[0].pages() <= maxPages
	a.count(countNoID, r.noID)
	return r
}
