package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"mkt/scripts/internal/cost"
	"mkt/scripts/internal/pages"
)

type bytesOptions struct {
	liveOptions
	rounds int
}

// bytesFlags returns the measurement of the bytes that a client receives which follows the first
// 200 matches in play of an account with their timelines, in several ways side by side.
func bytesFlags(flags *flag.FlagSet, mkt *string) func(context.Context) error {
	o := bytesOptions{liveOptions: liveOptions{mkt: mkt, accounts: 1}}
	flags.IntVar(&o.inPlay, "in-play", 328, "approximate number of matches in play")
	flags.IntVar(&o.details, "details", 0, "matches with full detail, and so with a timeline (default the program's)")
	flags.DurationVar(&o.measured, "for", 3*time.Minute, "how long a round takes")
	flags.DurationVar(&o.warm, "warm", 14*time.Minute, "how long to run before the first round, while the timelines become longer")
	flags.IntVar(&o.rounds, "rounds", 2, "rounds")
	return func(ctx context.Context) error {
		if b := new(bench); !b.hasModules(ctx, "testdata/node/node_modules") {
			return errors.New(b.skipped[0])
		}
		s, err := o.start(ctx)
		if err == nil {
			err = errors.Join(o.measureBytes(ctx, s), s.Close())
		}
		return err
	}
}

// way is a client that follows an account.
type way struct {
	*liveSystem
	name      string
	http      *http.Client
	read      atomic.Int64      // bytes over HTTP
	tags      map[string]string // by path; nil reads everything each time, without compression
	revisions map[string]int64  // of the timelines, by match
	socket    *nodeProgram      // writes the newest matches into a file; nil polls
	sum       received
}

// received is what a way has got so far: bytes on the wire, with header fields, and numbers.
type received struct{ matches, answers, timelines, reads float64 }

// counted counts what is read from a connection.
type counted struct {
	net.Conn
	read *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

func newWay(s *liveSystem, name string, tags map[string]string) *way {
	w := &way{liveSystem: s, name: name, tags: tags, revisions: map[string]int64{}}
	w.http = &http.Client{Transport: &http.Transport{DisableCompression: tags == nil, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		return counted{c, &w.read}, err
	}}}
	return w
}

// newSocketWay starts followers.mjs with one socket, in a folder with the name of the way.
func newSocketWay(s *liveSystem, name, deflate string) (*way, error) {
	w := newWay(s, name, map[string]string{})
	folder := filepath.Join(s.Dir, name)
	tokens := filepath.Join(folder, "tokens")
	err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(tokens, fmt.Appendf(nil, `{"account":%q}`, s.tokens[0]), 0o600))
	if err == nil {
		w.socket, _, err = startProgram("followers.mjs", "URL="+s.serve.BaseURL, "TOKENS="+tokens, "FOLDER="+folder, "EACH=1", "DEFLATE="+deflate)
	}
	return w, err
}

// get requests a path; nil is an answer without data.
func (w *way) get(ctx context.Context, path string) ([]byte, error) {
	a, body, err := pages.Get(ctx, w.http, w.serve.BaseURL, w.tokens[0], path, w.tags[path])
	switch {
	case err != nil, a.StatusCode == http.StatusNotModified, a.StatusCode == http.StatusServiceUnavailable: // the match has lost its detail
		return nil, err
	case a.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: status %d", path, a.StatusCode)
	case w.tags != nil:
		w.tags[path] = a.Header.Get("ETag")
	}
	return body, nil
}

// matches returns the newest matches; nil if they are the last ones.
func (w *way) matches(ctx context.Context) (body []byte, err error) {
	if w.socket == nil {
		before := w.read.Load()
		body, err = w.get(ctx, "/live?limit=200")
		w.sum.matches, w.sum.answers = w.sum.matches+float64(w.read.Load()-before), w.sum.answers+1
		return body, err
	}
	p, err := w.socket.pushed()
	if err != nil {
		return nil, err
	}
	w.sum.matches, w.sum.answers = p.Bytes, p.Pushes
	return os.ReadFile(filepath.Join(w.Dir, w.name, "account.json"))
}

// step gets the matches once, and the timelines that the way wants.
func (w *way) step(ctx context.Context) error {
	body, err := w.matches(ctx)
	if body == nil || err != nil {
		return err
	}
	var page struct {
		Data []struct {
			ID       string `json:"fixture_id"`
			Detailed bool   `json:"detail_available"`
			Revision int64  `json:"timeline_revision"`
		}
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return err
	}
	before := w.read.Load()
	for _, m := range page.Data {
		if !m.Detailed || w.tags != nil && w.revisions[m.ID] == m.Revision {
			continue
		}
		timeline, err := w.get(ctx, "/live/"+m.ID+"/timeline")
		if err != nil {
			return err
		}
		if timeline != nil {
			w.sum.reads++
			w.revisions[m.ID] = m.Revision
		}
	}
	w.sum.timelines += float64(w.read.Load() - before)
	return nil
}

// measureBytes prints a row of each way and round.
func (o bytesOptions) measureBytes(ctx context.Context, s *liveSystem) error {
	if _, err := s.Run(ctx, "", "tenant", "limit", "set", "account-00", "--requests", "60000", "--burst", "60000"); err != nil {
		return err
	}
	if err := wait(ctx, o.warm); err != nil {
		return err
	}
	ways := []*way{newWay(s, "polling, everything", nil), newWay(s, "polling, what changed", map[string]string{})}
	for _, deflate := range []string{"on", "off"} {
		w, err := newSocketWay(s, "socket, compression "+deflate, deflate)
		if err != nil {
			return err
		}
		defer w.socket.close()
		ways = append(ways, w)
	}
	load, looks, before := cost.Load(), int(o.measured/tick), make([]received, len(ways))
	fmt.Println("| round | way | an hour: MB | matches | timelines | answers | bytes of one | timelines read per answer | bytes of one |\n|---|---|---|---|---|---|---|---|---|")
	for look := range 2 + o.rounds*looks { // in the first two each way reads everything
		if err := wait(ctx, tick-(time.Duration(time.Now().UnixNano())+tick/2)%tick); err != nil { // cycles begin on the tick
			return err
		}
		for i, w := range ways {
			if err := w.step(ctx); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if (look-1)%looks != 0 {
				continue
			}
			was, now, hour := before[i], w.sum, float64(time.Hour)/float64(tick)/float64(looks)/1e6
			matches, timelines, answers, reads := now.matches-was.matches, now.timelines-was.timelines, now.answers-was.answers, now.reads-was.reads
			if before[i] = now; look > 1 {
				fmt.Printf("| %d | %s | %.1f | %.1f | %.1f | %.0f | %.0f | %.1f | %.0f |\n", look/looks, w.name, hour*(matches+timelines), hour*matches, hour*timelines,
					answers, matches/answers, reads/answers, timelines/reads)
			}
		}
	}
	skipped, failed, err := s.problems()
	fmt.Printf("\nrounds of %d looks; load %s before and %s after; %d ticks skipped, %d runs failed\n", looks, load, cost.Load(), skipped, failed)
	return err
}
