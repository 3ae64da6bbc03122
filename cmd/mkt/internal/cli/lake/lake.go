// Package lake has the commands for Iceberg tables. The work is done by mkt-lake, a binary
// of its own: the library for Iceberg is larger than all of mkt.
package lake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/dataset"
	"mkt/internal/terminal"
	"mkt/publish/football"
)

// Group is the state shared by these commands.
type Group struct {
	*cli.Env
	folder, location string
}

// New returns the commands.
func New(env *cli.Env) []*cobra.Command {
	g := &Group{Env: env}
	cmd := cli.Group("lake", "Iceberg tables of publications", newSync(g))
	_, err := find()
	cmd.Hidden = err != nil // in a package without the binary; the command's own error names the missing file
	return []*cobra.Command{cmd}
}

func newSync(g *Group) *cobra.Command {
	var f dataset.Filter
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "sync [--tenant ID | --all] [--lake DIR]",
		Short: "Append publications to Iceberg tables",
		Long: `Append the publications that the lake does not have yet to Apache Iceberg
tables, one folder for each account: fixtures, markets, changes, steps of prices
and live. Spark, Trino, DuckDB and others read them. Nothing in the tables is
rewritten, and retention does not delete from them. The data root is only read,
beside running cycles. A sync may be stopped at any point; the next continues.

Run it after cycles of the market engine, and at least every ten minutes for
live data, whose snapshots are kept for a quarter of an hour. Publications whose
snapshots were deleted before are reported, and recorded in the lake.

The tables name their files by the folder, or by --location: it is where the
folder is copied to, and never changes. docs/lake.md shows how.

The work is done by mkt-lake, a binary of its own ("make lake" builds it).`,
		Example: `  mkt lake sync --tenant acme
  mkt lake sync --all --lake /srv/lake --dry-run
  mkt lake sync --all --lake /srv/lake --location s3://bucket/lake`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return g.sync(cmd.Context(), f, dryRun)
		},
	}
	cli.DatasetFlags(cmd, &f)
	cli.AllFlag(cmd, &f)
	flags := cmd.Flags()
	flags.StringVar(&g.folder, "lake", "lake", "keep the tables in this folder, outside of the data root")
	g.Settings.BindPath(flags, "lake", "lake.folder")
	flags.StringVar(&g.location, "location", "", "name the place in the metadata where engines will read your copy of the folder, such as s3://bucket/lake (default: the folder itself)")
	g.Settings.Bind(flags, "location", "lake.location")
	flags.BoolVar(&dryRun, "dry-run", false, "print what would be appended without appending it")
	return cmd
}

// program is the binary behind these commands.
const program = "mkt-lake"

// find returns its path: beside this binary, or in PATH.
func find() (string, error) {
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			beside := filepath.Join(filepath.Dir(self), program)
			if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
				return beside, nil
			}
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s, which has the library for Iceberg tables, is neither beside mkt nor in PATH: build it with \"make lake\", and put bin/%[1]s beside mkt", program)
	}
	return filepath.Abs(path)
}

func (g *Group) sync(ctx context.Context, f dataset.Filter, dryRun bool) error {
	if g.folder == "" {
		return terminal.Usagef("--lake (MKT_LAKE_FOLDER): want a folder, not an empty text")
	}
	inside, err := g.insideData()
	if err != nil {
		return fmt.Errorf("--lake %s: %w", g.folder, err)
	}
	if inside {
		return terminal.Usagef("--lake %s: that is inside the data root; name a folder outside of it", g.folder)
	}
	path, err := find()
	if err != nil {
		return err
	}
	return g.Each("lake sync", f, func(d dataset.Dataset) error {
		if ctx.Err() != nil {
			return errInterrupted
		}
		begun := g.Now()
		done, err := g.syncOne(ctx, path, d, dryRun)
		if err != nil {
			return err
		}
		if g.JSON() {
			return g.Encode(done)
		}
		return g.print(d, done, dryRun, g.Now().Sub(begun))
	})
}

// insideData reports whether the lake would be inside the data root.
func (g *Group) insideData() (bool, error) {
	dir, err := filepath.Abs(g.folder)
	if err != nil {
		return false, err
	}
	for {
		_, err := os.Lstat(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return cli.IsInside(dir, g.Data)
		}
		dir = filepath.Dir(dir)
	}
}

// versions is a range of publications.
type versions struct {
	First uint64 `json:"first_version"`
	Last  uint64 `json:"last_version"`
}

// summary is the last line of mkt-lake.
type summary struct {
	ClientID string           `json:"client_id"`
	Product  football.Product `json:"product"`
	First    uint64           `json:"first_version,omitempty"`
	Last     uint64           `json:"last_version,omitempty"`
	Newest   uint64           `json:"newest_version"`
	Before   uint64           `json:"deleted_before_first_sync,omitempty"`
	Missing  []versions       `json:"missing,omitempty"`
	Appends  int              `json:"appends"`
	Rows     map[string]int64 `json:"rows"`
	Bytes    int64            `json:"bytes"`
}

// Bounds on the errors of mkt-lake in bytes, and on the time to stop it.
const (
	maxErrors = 64 << 10
	stopTime  = 20 * time.Second
)

var errInterrupted = errors.New("interrupted: appended rows stay; run the command again for the rest")

// syncOne runs mkt-lake for one dataset.
func (g *Group) syncOne(ctx context.Context, path string, d dataset.Dataset, dryRun bool) (done summary, err error) {
	args := []string{"sync", "-data", d.Data, "-lake", g.folder, "-tenant", d.Tenant, "-product", string(d.Product)}
	if g.location != "" {
		args = append(args, "-location", g.location)
	}
	if dryRun {
		args = append(args, "-dry-run")
	}
	cmd := exec.CommandContext(ctx, path, args...)
	// A Ctrl-C reaches it once, from here.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	var said tail
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return done, err
	}
	if err := cmd.Start(); err != nil {
		return done, err
	}
	bar := g.NewBar(d.String(), "publications")
	var end struct {
		Event string `json:"event"`
		Done  int    `json:"done"`
		Total int    `json:"total"`
		summary
	}
	lines := json.NewDecoder(out)
	for lines.More() {
		if err = lines.Decode(&end); err != nil {
			break
		}
		if end.Event == "progress" {
			bar.Set(end.Done, end.Total)
		}
	}
	bar.Done()
	waitErr := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case waitErr != nil && ctx.Err() != nil:
		return done, errInterrupted
	case errors.As(waitErr, &exit):
		failed := errors.New(said.text(exit))
		switch exit.ExitCode() {
		case cli.ExitLater:
			return done, terminal.AsTemporary(failed)
		case cli.ExitUsage:
			return done, terminal.AsUsage(failed)
		}
		return done, failed
	case waitErr != nil:
		return done, fmt.Errorf("%s: %w", program, waitErr)
	case err != nil || end.Event != "done":
		return done, fmt.Errorf("%s ended without a summary: it may be of another version; build both from the same source", program)
	}
	return end.summary, nil
}

// tail keeps the end of mkt-lake's stderr.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if t.Len()+len(p) > maxErrors {
		t.Reset()
	}
	t.Buffer.Write(p[max(0, len(p)-maxErrors):])
	return len(p), nil
}

// text returns the last line, which is the error.
func (t *tail) text(exit *exec.ExitError) string {
	text := strings.TrimSpace(t.String())
	if text == "" {
		return fmt.Sprintf("%s: %v", program, exit)
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func (g *Group) print(d dataset.Dataset, s summary, dryRun bool, took time.Duration) error {
	var text strings.Builder
	if s.Before > 0 {
		fmt.Fprintf(&text, "%s: the lake begins with version %d, the oldest one whose snapshot is kept\n", d, s.Before+1)
	}
	for _, m := range s.Missing {
		what := fmt.Sprintf("version %d was", m.First)
		if m.Last > m.First {
			what = fmt.Sprintf("versions %d to %d were", m.First, m.Last)
		}
		fmt.Fprintf(&text, "%s: %s deleted by retention before a sync, and recorded as MISSING: sync more often, or keep snapshots longer\n", d, what)
	}
	switch {
	case s.First == 0 && s.Newest == 0:
		fmt.Fprintf(&text, "%s: nothing is published yet\n", d)
	case s.First == 0:
		fmt.Fprintf(&text, "%s: nothing new since version %d\n", d, s.Newest)
	case dryRun:
		fmt.Fprintf(&text, "%s: %s would be appended\n", d, ofVersions(s))
	default:
		fmt.Fprintf(&text, "%s: %s appended: %s; %s (%.1f s)\n", d, ofVersions(s), rowsOf(s), terminal.Size(s.Bytes), took.Seconds())
	}
	_, err := fmt.Fprint(g.Out, text.String())
	return err
}

func ofVersions(s summary) string {
	if s.First == s.Last {
		return fmt.Sprintf("version %d", s.First)
	}
	return fmt.Sprintf("versions %d to %d", s.First, s.Last)
}

// rowsOf lists the appended rows, by table.
func rowsOf(s summary) string {
	var parts []string
	for _, of := range []struct{ table, words string }{{"fixtures", "fixtures"}, {"markets", "markets"}, {"changes", "changes"}, {"steps", "steps"}, {"live", "rows of live"}} {
		if n, has := s.Rows[of.table]; has {
			parts = append(parts, terminal.Grouped(int(n))+" "+of.words)
		}
	}
	return strings.Join(parts, ", ")
}
