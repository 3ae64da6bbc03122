package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// Usage counts the requests of each account by UTC day, route and product, as
// telemetry and not for billing. Counting is one addition. Every [FlushEvery], and at the
// end, the counters are added to those in the files.
//
// Each replica writes its own files, one for each account. [Usage.Of] adds up all files of
// the account, so any number of replicas may write to one folder. A lock ensures that a file
// has one writer. A second process with the name of a running one, for example its
// replacement, writes files of its own. Safe for concurrent use.
type Usage struct {
	fs      durable.FS // nil: nothing is written
	replica string
	now     func() time.Time
	log     *slog.Logger

	counters sync.Map // counter → *atomic.Int64, since the last collect

	mu      sync.Mutex
	name    string                // of this process's files: the replica's, or one made from it
	lock    io.Closer             // of the name; nil until the first write
	counted map[string]*usageFile // by client id: counts not yet in the files
	flushed map[string]time.Time  // by client id: last write of this process
	pruned  string                // the day on which old files were last removed
}

type counter struct {
	clientID string
	day      int64 // see dayOf
	route    string
	product  football.Product
}

const secondsOfDay = 24 * 60 * 60

// dayOf returns the number of the UTC day of a time, which takes less than its date.
func dayOf(t time.Time) int64 { return t.Unix() / secondsOfDay }

func (c counter) date() string { return time.Unix(c.day*secondsOfDay, 0).UTC().Format(dayLayout) }

// FlushEvery is the interval at which counters are written.
const FlushEvery = 15 * time.Second

// usageDays is the number of days kept, including today.
const usageDays = 35

const dayLayout = "2006-01-02"

// usageFile is the content of <client id>.<replica>.json. Before there were replicas, the one
// file of an account was <client id>.json, with the same content; it is still counted.
//
//	1: first
type usageFile struct {
	Format int                     `json:"format"`
	Days   map[string][]RouteCount `json:"days"` // sorted by route and product
}

const usageFormat = 1

// RouteCount is the number of requests for one route.
type RouteCount struct {
	Route   string           `json:"route"`
	Product football.Product `json:"product,omitempty"`
	Count   int64            `json:"count"`
}

// NewUsage returns counters that continue those in f under the name of a replica. If f is
// nil, they are kept in memory only. [Usage.Close] must be called.
func NewUsage(f durable.FS, replica string, now func() time.Time, log *slog.Logger) *Usage {
	return &Usage{fs: f, replica: replica, now: now, log: log, counted: map[string]*usageFile{}, flushed: map[string]time.Time{}}
}

// maxNamesakes limits the processes writing to one folder under one name.
const maxNamesakes = 16

var errNamesakes = fmt.Errorf("%d processes have the name of this replica: give each its own serve.replica", maxNamesakes)

// claim finds a name for the files of this process, and locks it.
func (u *Usage) claim() error {
	if u.lock != nil {
		return nil
	}
	for n := 1; n <= maxNamesakes; n++ {
		name := u.replica
		if n > 1 {
			name = fmt.Sprintf("%s~%d", name, n)
		}
		lock, err := u.fs.Lock(name + lockSuffix)
		if errors.Is(err, durable.ErrLocked) {
			continue
		}
		u.lock, u.name = lock, name
		return err
	}
	return errNamesakes
}

// Name returns the name of this process's files, which no other process has at the same time. There
// must be a folder.
func (u *Usage) Name() (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	err := u.claim()
	return u.name, err
}

const (
	lockSuffix = ".lock"
	fileSuffix = ".json"
)

// Close releases the name of this process's files.
func (u *Usage) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lock == nil {
		return nil
	}
	return u.lock.Close()
}

// Count counts one request.
func (u *Usage) Count(clientID, route string, product football.Product) {
	key := counter{clientID, dayOf(u.now()), route, product}
	n, ok := u.counters.Load(key)
	if !ok {
		n, _ = u.counters.LoadOrStore(key, new(atomic.Int64))
	}
	n.(*atomic.Int64).Add(1)
}

// Day has the counters of one day.
type Day struct {
	Date     string
	Requests []RouteCount // sorted by route and product
}

// Of returns an account's counters, oldest day first, and the time at which this
// process last wrote them, which is zero if it has not yet.
func (u *Usage) Of(clientID string) ([]Day, time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.collect()
	file := u.sum(clientID)
	file.addAll(u.counted[clientID])
	file.trim(u.now())
	days := make([]Day, 0, len(file.Days))
	for date, counts := range file.Days {
		days = append(days, Day{date, counts})
	}
	sort.Slice(days, func(i, j int) bool { return days[i].Date < days[j].Date })
	return days, u.flushed[clientID]
}

// Run flushes until ctx ends, and then once more.
func (u *Usage) Run(ctx context.Context) {
	tick := time.NewTicker(FlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			u.Flush()
			return
		case <-tick.C:
			u.Flush()
		}
	}
}

// Flush writes the counters, and keeps those it could not write for the next Flush.
func (u *Usage) Flush() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.collect()
	for _, file := range u.counted {
		file.trim(u.now())
	}
	if u.fs == nil || len(u.counted) == 0 {
		return
	}
	if err := u.claim(); err != nil {
		u.log.Warn("usage counters cannot be written", "err", err)
		return
	}
	u.prune()
	for clientID := range u.counted {
		if err := u.write(clientID); err != nil {
			u.log.Warn("usage counters cannot be written", "tenant", clientID, "err", err)
			continue
		}
		delete(u.counted, clientID)
		u.flushed[clientID] = u.now()
	}
}

func (u *Usage) collect() {
	today := dayOf(u.now())
	u.counters.Range(func(k, v any) bool {
		key := k.(counter)
		if n := v.(*atomic.Int64).Swap(0); n > 0 {
			if u.counted[key.clientID] == nil {
				u.counted[key.clientID] = newUsageFile()
			}
			u.counted[key.clientID].add(key.date(), RouteCount{key.route, key.product, n})
		} else if key.day != today {
			u.counters.Delete(k) // a past day is not counted any more
		}
		return true
	})
}

func newUsageFile() *usageFile {
	return &usageFile{Format: usageFormat, Days: map[string][]RouteCount{}}
}

// sum returns the counters in all files of an account.
func (u *Usage) sum(clientID string) *usageFile {
	sum := newUsageFile()
	if u.fs == nil || !layout.ValidTenantID(clientID) {
		return sum
	}
	entries, err := u.fs.ReadDir(".")
	if err != nil {
		u.log.Warn("usage counters cannot be read", "tenant", clientID, "err", err)
	}
	for _, e := range entries {
		if id, _, ok := parseUsageName(e.Name()); !ok || id != clientID {
			continue
		}
		file, err := u.read(e.Name())
		if err != nil {
			u.log.Warn("usage counters cannot be read", "tenant", clientID, "err", err)
		}
		sum.addAll(file)
	}
	return sum
}

// parseUsageName returns the account of a file, and the name of its writer, which is empty
// for a file from before there were replicas. Neither has a dot.
func parseUsageName(file string) (clientID, name string, ok bool) {
	base, ok := strings.CutSuffix(file, fileSuffix)
	clientID, name, _ = strings.Cut(base, ".")
	return clientID, name, ok && layout.ValidTenantID(clientID)
}

// read returns the counters in a file. If there is no file, or if it is damaged, the
// counters start at zero. An error is the disk's.
func (u *Usage) read(name string) (*usageFile, error) {
	const maxFile = 4 << 20
	data, err := durable.ReadFile(u.fs, name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return newUsageFile(), nil
	}
	if err != nil && !errors.Is(err, durable.ErrTooLarge) {
		return newUsageFile(), err
	}
	var f usageFile
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil || f.Format != usageFormat || f.Days == nil {
		u.log.Warn("usage counters are damaged and start at zero", "file", name, "err", err)
		return newUsageFile(), nil
	}
	return &f, nil
}

func (u *Usage) write(clientID string) error {
	if !layout.ValidTenantID(clientID) {
		return fmt.Errorf("%q is not a valid account id", clientID)
	}
	name := clientID + "." + u.name + fileSuffix
	f, err := u.read(name)
	if err != nil {
		return err
	}
	f.addAll(u.counted[clientID])
	f.trim(u.now())
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return durable.Overwrite(u.fs, name, append(data, '\n'))
}

// prune removes the files in which no day is kept any more, once a day: this process's own,
// and those of ended processes.
func (u *Usage) prune() {
	today := u.now().UTC().Format(dayLayout)
	if u.pruned == today {
		return
	}
	u.pruned = today
	entries, err := u.fs.ReadDir(".")
	if err != nil {
		u.log.Warn("old usage counters cannot be removed", "err", err)
		return
	}
	for _, e := range entries {
		if err := u.pruneFile(e.Name()); err != nil {
			u.log.Warn("old usage counters cannot be removed", "file", e.Name(), "err", err)
		}
	}
}

func (u *Usage) pruneFile(file string) error {
	_, name, ok := parseUsageName(file)
	if !ok || !u.isOld(file) {
		return nil
	}
	if name != u.name && name != "" {
		lock, err := u.fs.Lock(name + lockSuffix)
		if errors.Is(err, durable.ErrLocked) {
			return nil // its process removes it
		}
		if err != nil {
			return err
		}
		defer lock.Close()
		if !u.isOld(file) {
			return nil // its process wrote it before it ended
		}
	}
	return u.fs.Remove(file)
}

// isOld reports whether a file has counters, and none of a day that is kept.
func (u *Usage) isOld(file string) bool {
	f, err := u.read(file)
	if err != nil || len(f.Days) == 0 {
		return false
	}
	for day := range f.Days {
		if day >= oldestDay(u.now()) {
			return false
		}
	}
	return true
}

func (f *usageFile) addAll(other *usageFile) {
	if other == nil {
		return
	}
	for day, counts := range other.Days {
		for _, c := range counts {
			f.add(day, c)
		}
	}
}

func (f *usageFile) add(day string, c RouteCount) {
	counts := f.Days[day]
	at := sort.Search(len(counts), func(i int) bool { return counts[i].compare(c) >= 0 })
	if at < len(counts) && counts[at].compare(c) == 0 {
		counts[at].Count += c.Count
		return
	}
	f.Days[day] = slices.Insert(counts, at, c)
}

// compare orders counts by route and product.
func (c RouteCount) compare(other RouteCount) int {
	return cmp.Or(strings.Compare(c.Route, other.Route), strings.Compare(string(c.Product), string(other.Product)))
}

// trim removes old days, and those in the future, which exist if the clock was set back.
func (f *usageFile) trim(now time.Time) {
	today := now.UTC().Format(dayLayout)
	oldest := oldestDay(now)
	for day := range f.Days {
		if day < oldest || day > today {
			delete(f.Days, day)
		}
	}
}

func oldestDay(now time.Time) string {
	return now.UTC().AddDate(0, 0, 1-usageDays).Format(dayLayout)
}
