package serving

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/daemon"
	"mkt/internal/accounts"
	"mkt/internal/dataset"
	"mkt/internal/past"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/internal/timetext"
	"mkt/publish/snapshot"
	"mkt/serve/asof"
	"mkt/serve/replay"
)

// pastFlags choose the time whose data is served, if it is not the present.
type pastFlags struct {
	asOf, replay, tenant string
	speed                float64
	loop                 bool
}

func (f *pastFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.asOf, "as-of", "", "answer on loopback as of this time, with a clock that stands still: "+timetext.Forms+", or a cycle id, and with one account and product also latest~2 or v17")
	flags.StringVar(&f.replay, "replay", "", "answer on loopback as of a past period that runs again: FROM..TO, such as \"2h ago..1h ago\" or 2026-11-21T18:00Z..21:30Z, each as for --as-of")
	flags.Float64Var(&f.speed, "speed", 1, "run --replay this many times as fast as then (0: each line on standard input moves the clock to the next publication)")
	flags.BoolVar(&f.loop, "loop", false, "begin --replay again at the end")
	flags.StringVar(&f.tenant, "tenant", "", "serve only this account with --as-of or --replay, which allows a higher speed")
	cli.Bound(flags, "speed", "a number from 0 to 3600, such as 30", cli.Between(&f.speed, 0, 3600))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if f.replay != "" && f.asOf != "" {
			return terminal.Usagef("--as-of and --replay: want one of the two")
		}
		if f.replay == "" && (flags.Changed("speed") || flags.Changed("loop")) {
			return terminal.Usagef("--speed and --loop belong to --replay FROM..TO")
		}
		if f.replay == "" && f.asOf == "" && f.tenant != "" {
			return terminal.Usagef("--tenant belongs to --as-of and --replay: otherwise mkt serve answers every account")
		}
		return nil
	}
}

// check refuses to serve the past to the network.
func (f pastFlags) check(listen string) error {
	flag := "--as-of"
	switch {
	case f.replay != "":
		flag = "--replay"
	case f.asOf == "":
		return nil
	}
	host, _, err := net.SplitHostPort(listen)
	if ip, bad := netip.ParseAddr(host); err == nil && (host == "localhost" || bad == nil && ip.IsLoopback()) {
		return nil
	}
	return terminal.Usagef("%s with --listen %s: the past is shown on a loopback address only, such as 127.0.0.1:8081", flag, listen)
}

func (f pastFlags) filter() dataset.Filter { return dataset.Filter{Tenant: f.tenant} }

// clock returns the clock of the flags. If it shows the past, it prints for each account what is
// served; it is an error if nothing of that time is kept.
func (g *Group) clock(f pastFlags) (*asof.Clock, error) {
	if f.asOf == "" && f.replay == "" {
		return asof.Real(g.Now), nil
	}
	datasets, err := dataset.List(g.Data, f.filter())
	if err != nil {
		return nil, err
	}
	if f.asOf != "" {
		m, err := snapshot.ParseMoment(f.asOf, g.Now()) // printPast says the time
		if err != nil {
			return nil, terminal.Usagef("--as-of %w", err)
		}
		at, err := past.TimeOf(datasets, "--as-of", m)
		if err != nil {
			return nil, err
		}
		return asof.Standing(at), g.printPast(datasets, at)
	}
	from, to, err := g.span(datasets, f.replay)
	if err != nil {
		return nil, err
	}
	return asof.Replay(from, to, f.speed, g.Now), g.printSpan(datasets, from, to, f)
}

// span reads FROM..TO. A time of day as TO is the first one after FROM.
func (g *Group) span(datasets []dataset.Dataset, text string) (from, to time.Time, err error) {
	first, last, ok := strings.Cut(text, "..")
	if !ok {
		return from, to, terminal.Usagef("--replay %q: want FROM..TO, such as \"2h ago..1h ago\" or 2026-11-21T18:00Z..21:30Z", text)
	}
	now := g.Now()
	a, err := snapshot.ParseMoment(first, now)
	if err != nil {
		return from, to, terminal.Usagef("--replay FROM %w", err)
	}
	if from, err = past.TimeOf(datasets, "--replay", a); err != nil {
		return from, to, err
	}
	ofDay := now
	if timetext.IsClock(last) {
		ofDay = from.AddDate(0, 0, 1)
	}
	b, err := snapshot.ParseMoment(last, ofDay)
	if err != nil {
		return from, to, terminal.Usagef("--replay TO %w", err)
	}
	if to, err = past.TimeOf(datasets, "--replay", b); err != nil {
		return from, to, err
	}
	if !to.After(from) {
		return from, to, terminal.Usagef("--replay %q: it ends at %s, which is not after its beginning at %s", text, terminal.Stamp(to), terminal.Stamp(from))
	}
	if to.After(now) {
		return from, to, terminal.Usagef("--replay %q: it ends at %s, which is still to come", text, terminal.Stamp(to))
	}
	return from, to, nil
}

// printPast prints the served publication of each dataset on stderr. It is an error if there were
// publications by then and all of them are deleted.
func (g *Group) printPast(datasets []dataset.Dataset, at time.Time) error {
	printable.Fprintf(g.Errs, "as of %s, at which the clock stands:\n", terminal.Stamp(at))
	kept := 0
	for _, p := range datasets {
		words := "nothing was published by then"
		c, err := past.Find(p, snapshot.At(at))
		if err == nil {
			words = fmt.Sprintf("version %d, cycle %s", c.Version, c.CycleID)
			there, err := past.IsKept(p, c)
			switch {
			case errors.Is(err, snapshot.ErrDamaged):
				words += ": damaged; mkt recover rebuilds it"
			case err != nil:
				return err
			case there:
				kept++
			default:
				words += ": deleted by retention; if its payloads are kept, mkt replay rebuilds it"
			}
		} else if !errors.Is(err, snapshot.ErrUnknown) {
			return err
		}
		printable.Fprintf(g.Errs, "  %s: %s\n", p, words)
	}
	if kept == 0 {
		return errors.New("--as-of: no snapshot of that time is kept; retention in mkt.yaml says how long they are kept")
	}
	return nil
}

// printSpan prints what is served of each dataset on stderr. It is an error if no snapshot of the
// span is kept.
func (g *Group) printSpan(datasets []dataset.Dataset, from, to time.Time, f pastFlags) error {
	speed := fmt.Sprintf("%g times as fast as then", f.speed)
	if f.speed == 0 {
		speed = "a line on standard input moves to the next publication"
	}
	printable.Fprintf(g.Errs, "replay of %s to %s, %s:\n", terminal.Stamp(from), terminal.Stamp(to), speed)
	var all past.Publications
	for _, p := range datasets {
		of, err := past.PublicationsOf(p, from, to)
		if err != nil {
			return err
		}
		all.Add(of)
		printable.Fprintf(g.Errs, "  %s: %s\n", p, publicationWords(of))
	}
	switch {
	case all.Kept > 0:
		return nil
	case all == past.Publications{}:
		return errors.New("--replay: nothing was published in that period, nor before it; mkt inspect lists the publications")
	case all.Damaged > 0:
		return errors.New("--replay: every snapshot of that period is damaged or deleted; mkt recover rebuilds the damaged ones")
	}
	return errors.New("--replay: no snapshot of that period is kept; retention in mkt.yaml says how long they are kept")
}

// publicationWords describes the publications of a period.
func publicationWords(n past.Publications) string {
	all := n.Kept + n.Gone + n.Damaged
	if all == 0 {
		return "nothing was published"
	}
	words := terminal.Plural(all, "publication")
	if n.Gone > 0 {
		words += fmt.Sprintf(", the snapshots of %d deleted by retention; if their payloads are kept, mkt replay rebuilds them", n.Gone)
	}
	if n.Damaged > 0 {
		words += fmt.Sprintf(", %d damaged and left out; mkt recover rebuilds them", n.Damaged)
	}
	return words
}

// runTokens are tokens for one run of mkt serve as of the past: nobody needs the client's own token to see
// the client's answers. They are not stored.
type runTokens struct {
	printed []daemon.Token
	entries map[string]accounts.Token // by account
	only    string                    // the only account, "" = all
}

// runTokensOf makes a token for each account with data on the data root. It makes none when
// serving the present, which may be reachable from the network.
func (g *Group) runTokensOf(f *accounts.File, flags pastFlags) (none runTokens, err error) {
	if flags.asOf == "" && flags.replay == "" {
		return none, nil
	}
	datasets, err := dataset.List(g.Data, flags.filter())
	if err != nil {
		return none, err
	}
	there := map[string]bool{}
	for _, p := range datasets {
		there[p.Tenant] = true
	}
	list := runTokens{entries: map[string]accounts.Token{}, only: flags.tenant}
	for _, id := range f.IDs() {
		if !there[id] {
			continue
		}
		token, entry, err := accounts.NewToken(g.Now())
		if err != nil {
			return none, err
		}
		list.printed = append(list.printed, daemon.Token{ID: id, Token: token})
		list.entries[id] = entry
	}
	return list, nil
}

// in returns the accounts of this run with its tokens.
func (r runTokens) in(f *accounts.File) *accounts.File {
	if len(r.entries) == 0 {
		return f
	}
	with := *f
	with.Tenants = slices.DeleteFunc(slices.Clone(f.Tenants), func(t accounts.Tenant) bool { return r.only != "" && t.ID != r.only })
	for i := range with.Tenants {
		t := &with.Tenants[i]
		if entry, ok := r.entries[t.ID]; ok {
			t.Tokens = append(slices.Clone(t.Tokens), entry)
		}
	}
	return &with
}

// replayed is the line about a replay that moved, for the program that started it.
type replayed struct {
	Event replay.Event `json:"event"`
	At    time.Time    `json:"at"`
}

// replay returns how the clock of the flags moves.
func (g *Group) replay(ctx context.Context, f pastFlags) replay.Options {
	r := replay.Options{Loop: f.loop, Moved: func(what replay.Event, at time.Time) {
		if g.ForScripts() {
			g.Encode(replayed{what, at})
			return
		}
		printable.Fprintf(g.Out, "%s %s\n", terminal.Stamp(at), replayWords[what])
	}}
	if f.replay != "" && f.speed == 0 {
		r.Step = g.lines(ctx)
	}
	return r
}

var replayWords = map[replay.Event]string{
	replay.Stepped: "is the time of the clock", replay.Ended: "is the end of the replay; the clock stands", replay.Rewound: "is the time of the clock: the replay begins again",
}

// lines returns a channel with a value for each line of standard input, closed at its end.
func (g *Group) lines(ctx context.Context) <-chan struct{} {
	read := make(chan struct{})
	go func() {
		defer close(read)
		for s := bufio.NewScanner(g.In); s.Scan(); {
			select {
			case read <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
		g.Log.Info("standard input has ended: the clock of the replay stands from now on")
	}()
	return read
}
