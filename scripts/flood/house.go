package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// house is a data root with two accounts, and what runs over it.
type house struct {
	options
	dir      string
	url      string
	tokens   map[string]string
	fixtures map[string][]string // ids by account
	client   *http.Client
	running  []*exec.Cmd
}

// ready is the line that simulate and serve print.
type ready struct {
	BaseURL string `json:"base_url"`
	Token   string `json:"token"`
}

func openHouse(ctx context.Context, o options) (h *house, err error) {
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mkt-flood-")
	if err != nil {
		return nil, err
	}
	h = &house{options: o, dir: dir, tokens: map[string]string{}, fixtures: map[string][]string{},
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * o.connections, DisableCompression: true}, Timeout: 30 * time.Second}}
	if err := h.furnish(ctx); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// furnish makes the accounts, runs a cycle, and starts to serve.
func (h *house) furnish(ctx context.Context) error {
	if _, err := h.mkt(ctx, "", "init", "."); err != nil {
		return err
	}
	provider, err := h.start(ctx, "simulate", "--fixtures", strconv.Itoa(h.size), "--quota", "1000000")
	if err != nil {
		return err
	}
	for id, limit := range map[string]int{"quiet": 600_000, "flood": h.limit} {
		out, err := h.mkt(ctx, "", "tenant", "add", id, "--product", "market_engine", "--output", "json")
		if err != nil {
			return err
		}
		var added struct{ Token string }
		if err := json.Unmarshal(out, &added); err != nil {
			return err
		}
		h.tokens[id] = added.Token
		for _, args := range [][]string{
			{"tenant", "limit", "set", id, "--requests", strconv.Itoa(limit), "--per", "1m", "--burst", strconv.Itoa(limit / 60)},
			{"provider", "set", id, "--provider", "betsapi", "--base-url", provider.BaseURL, "--allow-private-address"},
			{"cycle", "--tenant", id},
		} {
			if _, err := h.mkt(ctx, provider.Token, args...); err != nil {
				return err
			}
		}
	}
	api, err := h.start(ctx, "serve", "--log-level", "off")
	if err != nil {
		return err
	}
	h.url = api.BaseURL + "/api/v1"
	for id := range h.tokens {
		if err := h.list(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// mkt runs a command to its end.
func (h *house) mkt(ctx context.Context, in string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, h.binary, args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr = h.dir, strings.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("mkt %s: %w", args[0], err)
	}
	return out, nil
}

// start runs a command on, and waits until it is ready.
func (h *house) start(ctx context.Context, args ...string) (r ready, err error) {
	cmd := exec.CommandContext(ctx, h.binary, append(args, "--listen", "127.0.0.1:0", "--output", "json")...)
	cmd.Dir, cmd.Stderr = h.dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	h.running = append(h.running, cmd)
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&r); err != nil {
		return r, fmt.Errorf("mkt %s: no ready line: %w", args[0], err)
	}
	return r, nil
}

// list reads the ids of an account's fixtures that have a page of markets.
func (h *house) list(ctx context.Context, id string) error {
	patience := time.Now().Add(2 * time.Minute)
	for cursor := ""; ; {
		var page struct {
			Data []struct {
				ID      string `json:"fixture_id"`
				Markets int    `json:"market_count"`
			}
			Pagination struct {
				Next *string `json:"next_cursor"`
			}
		}
		status, body, err := h.ask(ctx, id, "/fixtures?limit=200"+cursor)
		if err == nil && status == http.StatusServiceUnavailable && time.Now().Before(patience) {
			time.Sleep(100 * time.Millisecond) // it is still being loaded
			continue
		}
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("fixtures of %s: status %d", id, status)
		}
		if err == nil {
			err = json.Unmarshal(body, &page)
		}
		if err != nil {
			return err
		}
		for _, f := range page.Data {
			if f.Markets >= 50 {
				h.fixtures[id] = append(h.fixtures[id], f.ID)
			}
		}
		if page.Pagination.Next == nil {
			break
		}
		cursor = "&cursor=" + *page.Pagination.Next
	}
	if len(h.fixtures[id]) == 0 {
		return fmt.Errorf("%s has no fixture with a page of markets", id)
	}
	return nil
}

// cold is a page of about 50 markets. The same comes again so late that nobody
// remembers it.
func (h *house) cold(id string, n int) string {
	list := h.fixtures[id]
	return "/fixtures/" + list[n%len(list)] + "/markets?limit=" + strconv.Itoa(40+n/len(list)%21)
}

func (h *house) ask(ctx context.Context, id, path string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+path, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+h.tokens[id])
	a, err := h.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	body, err = io.ReadAll(a.Body)
	return a.StatusCode, body, err
}

// close ends what runs and removes the folder.
func (h *house) close() error {
	var errs []error
	for _, cmd := range h.running {
		errs = append(errs, cmd.Process.Signal(syscall.SIGTERM))
		_ = cmd.Wait() // how it ends is not what is measured
	}
	return errors.Join(append(errs, os.RemoveAll(h.dir))...)
}
