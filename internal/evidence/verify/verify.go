package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/retention"
	"mkt/publish/snapshot"
)

type Options struct {
	ClientID string
	Product  football.Product
	Root     durable.ReadFS // of the tenant and product; only read

	// From and To bound the cycles whose data is read; "" means the oldest kept one and the
	// newest. The chain of commits is always checked as a whole.
	From, To layout.CycleID
	// Expect is the hash of a commit record, written down elsewhere; "" is none.
	Expect string
	// Deep, if not nil, also rebuilds cycles and snapshots.
	Deep *Deep
	// Command is how a fix calls mkt.
	Command string
	// Progress is called with the cycles done and their total; it may be nil.
	Progress func(done, total int)
}

type verifier struct {
	Options
	watermarks retention.Watermarks
	report     Report
	seen       map[Finding]bool
	commits    map[layout.CycleID]snapshot.Commit // of cycles whose data may be there
	order      []snapshot.Commit                  // the same, oldest first
	head       snapshot.Commit
	newest     uint64            // number of the newest record when the run began
	first      uint64            // number of the oldest record the root should have
	copies     []snapshot.Commit // publications that are being copied

	segments map[string]snapshot.Segment // named by a manifest or a commit
	read     map[string]bool             // names of segments
	done     int
	total    int
}

// ErrBusy is the error for a report without Judged.
var ErrBusy = errors.New("the data was written to while it was read, and no finding was confirmed in three readings: run it again, or stop the schedule first")

// passes bounds the readings of a root that changes meanwhile.
const passes = 3

// Run verifies one account's product. Its error is one of the disk or of ctx.
//
// It takes no lock: writers go on meanwhile. Each check allows for their changes since it began.
// If something was written and there are findings, the root is read again, and only findings
// repeated word for word by a second reading count. The third reading is the last. If it neither
// confirms a finding nor is clean, the report has no judgement, see [Report].Judged.
func Run(ctx context.Context, o Options) (Report, error) {
	var before Report
	for pass := 1; ; pass++ {
		began, err := stampOf(o.Root)
		if err != nil {
			return Report{}, err
		}
		report, err := readOnce(ctx, o)
		if err != nil || report.Clean {
			return report, err
		}
		ended, err := stampOf(o.Root)
		if err != nil || began == ended {
			return report, err
		}
		if pass > 1 {
			if confirmed := report.confirmedBy(before); len(confirmed) > 0 {
				report.Findings = confirmed
				return report, nil
			}
		}
		if pass == passes {
			report.Judged, report.Unconfirmed, report.Findings = false, report.Findings, []Finding{} // Clean stays false
			return report, nil
		}
		before = report
	}
}

// stampOf returns a hash that changes with every write of a run. It covers all names, and the
// contents of the files that are replaced.
func stampOf(f durable.ReadFS) (string, error) {
	var b strings.Builder
	for _, dir := range []string{".", layout.RawDir, layout.CanonicalDir, layout.SnapshotsDir, layout.ChangesDir, layout.StepsDir, layout.CommitsDir} {
		entries, err := f.ReadDir(dir)
		if durable.IsExhausted(err) {
			return "", err
		}
		fmt.Fprintln(&b, dir, err)
		for _, e := range entries {
			b.WriteString(e.Name() + "\n")
		}
	}
	for _, name := range []string{layout.Current, layout.Collected} {
		_, sum, err := durable.HashFile(f, name)
		fmt.Fprintln(&b, name, sum, err)
	}
	return durable.Hash([]byte(b.String())), nil
}

// errNoFolder ends a reading at a folder that cannot be listed. The folder is a finding; continuing
// would report everything in it as missing.
var errNoFolder = errors.New("a folder cannot be listed")

func readOnce(ctx context.Context, o Options) (Report, error) {
	v := &verifier{Options: o, seen: map[Finding]bool{}, commits: map[layout.CycleID]snapshot.Commit{}, segments: map[string]snapshot.Segment{}, read: map[string]bool{}}
	v.report = Report{Tenant: o.ClientID, Product: string(o.Product), Judged: true, Findings: []Finding{}, Notes: []string{}}
	if v.Progress == nil {
		v.Progress = func(int, int) {}
	}
	err := v.all(ctx)
	if errors.Is(err, errNoFolder) {
		err = nil
	}
	v.report.Clean = len(v.report.Findings) == 0
	return v.report, err
}

func (v *verifier) all(ctx context.Context) error {
	steps := []func(context.Context) error{v.chain, v.publications, v.changeLog, v.canonical, v.raw, v.unknown}
	if v.Deep != nil {
		steps = append(steps, v.deep)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

func (v *verifier) addFinding(code, file, fix, format string, args ...any) {
	f := Finding{code, file, fmt.Sprintf(format, args...), fix}
	if !v.seen[f] {
		v.seen[f] = true
		v.report.Findings = append(v.report.Findings, f)
	}
}

func (v *verifier) addFault(code, file, fix string, err error) {
	switch {
	case errors.Is(err, layout.ErrNewer):
		code, fix = "FORMAT_NEWER", "use the version of mkt that wrote it, or a later one"
	case errors.Is(err, snapshot.ErrUnreadable) && !errors.Is(err, snapshot.ErrDamaged):
		code, fix = "UNREADABLE", "run it as the user who owns the data root, or as root: sudo "+v.Command+" verify"
	}
	v.addFinding(code, file, fix, "%s", reason(err, file))
}

func (v *verifier) dropFindings(from int) {
	for _, f := range v.report.Findings[from:] {
		delete(v.seen, f)
	}
	v.report.Findings = v.report.Findings[:from]
}

func (v *verifier) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(v.report.Notes, text) {
		v.report.Notes = append(v.report.Notes, text)
	}
}

func (v *verifier) wanted(c layout.CycleID) bool {
	return c >= v.From && (v.To == "" || c <= v.To)
}

func (v *verifier) step() {
	v.done++
	v.Progress(v.done, max(v.total, v.done))
}

// names lists a folder. A missing folder is empty.
func (v *verifier) names(dir string) ([]fs.DirEntry, error) {
	entries, err := v.Root.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if fault := snapshot.Fault(dir, err); snapshot.IsFault(fault) {
		v.addFault("UNREADABLE", dir, "put a folder there, or mount it there", fault)
		return nil, errNoFolder
	}
	return entries, err
}

// cyclesIn lists the cycles with a folder below a folder.
func (v *verifier) cyclesIn(dir string) (ids []layout.CycleID, err error) {
	entries, err := v.names(dir)
	for _, e := range entries {
		if id, ok := layout.ParseCycleDir(e.Name()); ok && e.IsDir() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, err
}

const (
	fixBackup  = "restore it from a backup: the hash must be the sealed one"
	fixUnknown = "find out who put it there, and remove it if nobody needs it"
)

func (v *verifier) fixRepair() string {
	return fmt.Sprintf("%s recover --tenant %s --product %s; if that cannot rebuild it, %s", v.Command, v.ClientID, v.Product, fixBackup)
}

// reason returns an error's text without the file's name, which the finding has.
func reason(err error, name string) string {
	return strings.TrimPrefix(err.Error(), name+": ")
}
