package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"mkt/scripts/internal/pages"
)

const (
	installNginx = "apt-get install nginx-light"
	installWrk   = "apt-get install wrk"
)

// measureServe measures cached pages beside nginx, which serves the same bytes from a file. It
// measures other pages beside a server on Node and DuckDB.
func measureServe(ctx context.Context, b *bench) (err error) {
	if !b.has("wrk", installWrk) {
		return nil
	}
	w, err := newWorld(ctx, b.options, 1, b.fixtures)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := w.Run(ctx, "", "tenant", "limit", "set", "account-1", "--requests", "10000000", "--per", "1s", "--burst", "10000000"); err != nil {
		return err
	}
	for _, step := range []string{"transform", "publish"} {
		if _, err := w.step(ctx, w.Installation, step); err != nil {
			return err
		}
	}
	serve, err := w.Listen("serve")
	if err != nil {
		return err
	}
	ours := target{name: "mkt serve", url: serve.BaseURL, token: w.tokens[0], pid: serve.Process.Pid}
	ids, err := pages.Fixtures(ctx, http.DefaultClient, ours.url, ours.token)
	if err != nil {
		return err
	}
	usual, err := usualPage(ctx, ours, ids)
	if err != nil {
		return err
	}
	for _, p := range []struct{ what, path, aim string }{
		{"`GET /fixtures`, 20 items", "/fixtures?limit=20", "0.6"},
		{"a page of 50 markets", usual, "0.75"},
	} {
		if err := b.cached(ctx, w, ours, p.what, p.path, p.aim); err != nil {
			return err
		}
	}
	return b.cold(ctx, w, ours, ids)
}

// usualPage returns the path of the page of 50 markets whose size is closest to 86 kB. So runs
// can be compared.
func usualPage(ctx context.Context, t target, ids []string) (path string, err error) {
	least := math.Inf(1)
	for _, id := range ids[:min(len(ids), 30)] {
		p := "/fixtures/" + id + "/markets?limit=50"
		_, body, err := pages.Get(ctx, http.DefaultClient, t.url, t.token, p, "")
		if err != nil {
			return "", err
		}
		if off := math.Abs(float64(len(body)) - 86e3); off < least {
			path, least = p, off
		}
	}
	return path, nil
}

// cached measures one page on 16 connections.
func (b *bench) cached(ctx context.Context, w *world, ours target, what, path, aim string) error {
	b.progress("serve: %s", what)
	answer, body, err := pages.Get(ctx, http.DefaultClient, ours.url, ours.token, path, "")
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", path, answer.StatusCode)
	}
	targets := []target{ours}
	if b.has("nginx", installNginx) {
		nginx, err := startNginx(ctx, filepath.Join(w.Dir, "nginx"), ours.token, answer.Header, body)
		if err != nil {
			return err
		}
		defer nginx.stop()
		targets = append(targets, nginx.target)
	}
	rates, err := b.load(ctx, targets, 16, func(t target, _ int) []string { return []string{t.url + "/api/v1" + path} })
	if err != nil {
		return err
	}
	r := row{what: fmt.Sprintf("%s (%.1f kB), cached, 16 connections: requests a second", what, float64(len(body))/1e3), ours: rates[0].perSecond()}
	c := row{what: "processor time of the server for each", ours: rates[0].microseconds()}
	if len(targets) > 1 {
		r.beside, r.ratio, r.aim = "nginx, the same bytes from a file "+rates[1].perSecond(), rates[0].over(rates[1]), aim+" of nginx"
		c.beside, c.ratio = "nginx "+rates[1].microseconds(), fmt.Sprintf("%.2f", rates[0].cpu.median()/rates[1].cpu.median())
	}
	b.add(r)
	b.add(c)
	return nil
}

// cold measures uncached pages on 4 connections.
func (b *bench) cold(ctx context.Context, w *world, ours target, ids []string) error {
	b.progress("serve: cold pages")
	list := filepath.Join(w.Dir, "pages.txt")
	var text strings.Builder
	for n := range 21 * len(ids) {
		text.WriteString("/api/v1" + pages.Cold(ids, n) + "\n")
	}
	if err := os.WriteFile(list, []byte(text.String()), 0o600); err != nil {
		return err
	}
	targets := []target{ours}
	if b.hasDuckDB(ctx) {
		files, err := newest(w, "snapshots", "fixtures.parquet", "markets.parquet")
		if err != nil {
			return err
		}
		for _, mode := range []string{"files", "tables"} {
			node, err := startNode(ctx, append([]string{mode}, files...)...)
			if err != nil {
				return err
			}
			defer node.stop()
			targets = append(targets, node.target)
		}
	}
	// Every round continues after the last one, so that no page is cached.
	next := map[string]int{}
	rates, err := b.load(ctx, targets, 4, func(t target, served int) []string {
		next[t.name] += served
		return []string{"-s", "scripts/bench/pages.lua", t.url, "--", list, fmt.Sprint(next[t.name])}
	})
	if err != nil {
		return err
	}
	r := row{what: "a cold page of 40 to 60 markets, 4 connections: answers a second", ours: rates[0].perSecond() + ", " + rates[0].latency(), aim: "4,000/s"}
	c := row{what: "processor time of the server for each", ours: rates[0].microseconds()}
	if len(targets) > 1 {
		r.beside = "Node and DuckDB on the same Parquet " + rates[1].perSecond() + "; on its own tables " + rates[2].perSecond()
		r.ratio = rates[0].over(rates[1]) + "; " + rates[0].over(rates[2])
		c.beside = rates[1].microseconds() + "; " + rates[2].microseconds()
	}
	b.add(r)
	b.add(c)
	return nil
}
