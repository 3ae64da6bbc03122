package betsapi

import (
	"mkt/fetch/internal/decode"
	"mkt/fetch/internal/strictjson"
)

// pager is the position of a page in its list, as each page states it. It is zero if the
// page states none, or one that cannot be read.
type pager struct{ perPage, total int }

// readPager reads the pager of a page. It is not ok if there is one that cannot be
// read: then nothing of it is believed.
func readPager(v strictjson.Value) (p pager, ok bool) {
	if k := v.Kind(); k == strictjson.Absent || k == strictjson.Null {
		return pager{}, true
	}
	const most = 1 << 20
	page, okPage := decode.Whole(v.Get("page"), most)
	perPage, okSize := decode.Whole(v.Get("per_page"), most)
	total, okTotal := decode.Whole(v.Get("total"), most)
	if !okPage || !okSize || !okTotal || page == 0 || perPage == 0 || v.Repeats() {
		return pager{}, false
	}
	return pager{perPage, total}, true
}

// pages is how many pages the list has, 1 if it does not say.
func (p pager) pages() int {
	if p.perPage == 0 {
		return 1
	}
	return (p.total + p.perPage - 1) / p.perPage
}
