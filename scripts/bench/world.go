package main

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/zstd"

	"mkt/scripts/internal/cost"
	"mkt/scripts/internal/installation"
)

// world is an installation of accounts, each with a simulated provider of its own.
type world struct {
	*installation.Installation
	tokens  []string      // of the accounts
	hour    time.Duration // how long an hour of the simulated world takes
	fetched time.Time
	counts  map[string]float64 // of the last fetch and transform, all accounts together
}

// newWorld connects accounts and archives a cycle of each.
func newWorld(ctx context.Context, o options, accounts, fixtures int) (_ *world, err error) {
	in, err := installation.New(ctx, *o.mkt)
	if err != nil {
		return nil, err
	}
	w := &world{Installation: in, hour: time.Hour / time.Duration(o.speed)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	for i := range accounts {
		provider, err := in.Listen("simulate", "--seed", strconv.Itoa(i+1), "--fixtures", strconv.Itoa(fixtures), "--quota", "10000000", "--speed", strconv.Itoa(o.speed))
		if err != nil {
			return nil, err
		}
		token, err := in.AddTenant(ctx, fmt.Sprintf("account-%d", i+1), provider, "market_engine")
		if err != nil {
			return nil, err
		}
		w.tokens = append(w.tokens, token)
	}
	return w, w.fetch(ctx)
}

// fetch archives a cycle of every account. If there is one already, it waits until an hour
// of the simulated world has passed.
func (w *world) fetch(ctx context.Context) error {
	if !w.fetched.IsZero() {
		select {
		case <-time.After(time.Until(w.fetched.Add(w.hour))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w.fetched = time.Now()
	_, err := w.step(ctx, w.Installation, "fetch")
	return err
}

// step runs a step of all accounts, one after the other, in an installation, and returns its
// processor time and memory.
func (w *world) step(ctx context.Context, in *installation.Installation, step string) (cost.Cost, error) {
	args := []string{step, "--all"}
	if step != "fetch" { // fetch mostly waits for the provider
		args = append(args, "--parallel", "1")
	}
	steps, c, err := in.Steps(ctx, args...)
	if err != nil {
		return cost.Cost{}, err
	}
	w.counts = map[string]float64{}
	for _, s := range steps {
		for name := range s.Counts {
			w.counts[name] += s.Count(name)
		}
	}
	if step == "fetch" && w.counts["failed"] > 0 {
		return cost.Cost{}, fmt.Errorf("%.0f fixtures were not answered: the cycle is larger than its limit", w.counts["failed"])
	}
	return c, nil
}

// unpack decompresses the archived answers of the newest cycles, into a folder for each
// endpoint, and returns a pattern for each.
func (w *world) unpack(to string) (patterns []string, err error) {
	indexes, err := newest(w, "raw", "fetch.json")
	if err != nil {
		return nil, err
	}
	for account, index := range indexes {
		endpoints, err := unpackCycle(index, account, to)
		if err != nil {
			return nil, err
		}
		for _, e := range endpoints {
			if pattern := filepath.Join(to, e, "*.json"); !slices.Contains(patterns, pattern) {
				patterns = append(patterns, pattern)
			}
		}
	}
	return patterns, nil
}

func unpackCycle(file string, account int, folder string) (endpoints []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var index struct {
		Responses []struct{ Endpoint, File string }
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	to := map[string]string{} // by the name of an answer
	for n, r := range index.Responses {
		endpoint := path.Base(r.Endpoint)
		endpoints = append(endpoints, endpoint)
		to[r.File] = filepath.Join(folder, endpoint, fmt.Sprintf("%d-%06d.json", account, n))
	}
	return endpoints, extract(filepath.Join(filepath.Dir(file), "answers.tar.zst"), to)
}

// extract writes the members of a compressed tar archive to files, by their names.
func extract(from string, to map[string]string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	plain, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer plain.Close()
	members := tar.NewReader(plain)
	for {
		h, err := members.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		name, known := to[h.Name]
		if !known {
			return fmt.Errorf("%s: %s is not in fetch.json", from, h.Name)
		}
		if err := writeFile(name, members); err != nil {
			return err
		}
	}
}

func writeFile(name string, content io.Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, content)
	return err
}

// newest returns the files of the newest cycles below a folder of each account, by the
// patterns of their names.
func newest(w *world, folder string, names ...string) (files []string, err error) {
	roots, err := filepath.Glob(filepath.Join(w.Dir, "data", "client_id=*", "product=market_engine"))
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		cycles, err := filepath.Glob(filepath.Join(root, folder, "cycle=*")) // sorted by name, which is by time
		if err != nil || len(cycles) == 0 {
			return nil, fmt.Errorf("%s has no cycle in %s", root, folder)
		}
		for _, name := range names {
			found, err := filepath.Glob(filepath.Join(cycles[len(cycles)-1], name))
			if err != nil || len(found) == 0 {
				return nil, fmt.Errorf("%s has no %s", cycles[len(cycles)-1], name)
			}
			files = append(files, found...)
		}
	}
	return files, nil
}
