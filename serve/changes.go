package serve

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mkt/serve/internal/api"
)

// changes answers GET /changes: the events after a cursor, oldest first. The next cursor
// is always the position at which to continue, also on the last page.
func (c *call) changes() error {
	limit, err := c.params.limit()
	if err != nil {
		return err
	}
	at, err := c.changePosition()
	if err != nil {
		return err
	}
	if err := c.ready(); err != nil {
		return err
	}
	window := c.view.Window()
	if !at.given {
		at.seq = window.FirstSeq - 1
	}
	key := fmt.Sprint("c ", limit, " ", at.seq)
	page := c.view.Page
	if c.view.EventsCached(at.seq, limit) {
		page = c.view.PageUnqueued
	}
	return c.sendBy(page, key, func(context.Context) (*api.Page, error) {
		var list api.List
		last, more := at.seq, false
		if at.seq < window.LastSeq {
			if last, more, err = c.view.Events(at.seq, limit, list.Add); err != nil {
				return nil, err
			}
		}
		page := api.Pagination{Limit: limit, NextCursor: c.changeCursor(last), HasMore: more}
		return list.Page(page, c.view.Freshness(), api.ChangesMeta(window)), nil
	})
}

type changeAt struct {
	given bool
	seq   uint64 // the last event that the client has
}

func (c *call) changeScope() api.Scope {
	return api.Scope{Collection: api.ChangeFeed, ClientID: c.who.ClientID}
}

// changeCursor returns the position after an event. It contains the history id, so that a
// restore makes all older cursors invalid.
func (c *call) changeCursor(seq uint64) string {
	return c.changeScope().Cursor(c.view.Commit().HistoryID + ":" + strconv.FormatUint(seq, 10))
}

// changePosition parses the cursor and compares it with the window. If the position is
// newer than the served one, the dataset is refreshed once, because another replica may
// have a newer snapshot. If it is still newer, the page is empty, until the position is
// known to be none of this log.
func (c *call) changePosition() (at changeAt, err error) {
	position, err := c.params.position(c.changeScope())
	if err != nil || position == "" {
		return at, err
	}
	cut := strings.LastIndexByte(position, ':')
	if cut < 0 {
		return at, api.Refuse(api.InvalidCursor)
	}
	history := position[:cut]
	if at.seq, err = strconv.ParseUint(position[cut+1:], 10, 63); err != nil {
		return at, api.Refuse(api.InvalidCursor)
	}
	at.given = true
	if c.view != nil && (c.view.Commit().HistoryID != history || at.seq > c.view.Commit().LastSeq) {
		c.refresh()
	}
	if c.view == nil {
		return at, nil // there is no window yet; ready returns the error
	}
	window := c.view.Window()
	if c.view.Commit().HistoryID != history || at.seq+1 < window.FirstSeq || at.seq > window.LastSeq && c.dataset.IsForeign(at.seq, c.view) {
		return at, api.Refuse(api.InvalidCursor)
	}
	return at, nil
}

func (c *call) refresh() {
	const timeout = time.Second
	c.dataset.RefreshSoon(c.request.Context(), timeout)
	c.view.Release()
	c.view = c.dataset.Acquire()
}
