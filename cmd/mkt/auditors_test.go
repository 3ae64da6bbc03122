package main

import (
	"archive/tar"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/google/go-cmp/cmp"

	"mkt/fetch/simulator"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// liveBefore is how many live cycles an auditedRoot has before the last one, for goals to be shown and taken back.
const liveBefore = 60

// auditedRoot is the data root of docs/auditors.md, with three cycles of both products, liveBefore more of one, and an
// id of each kind that all three have.
type auditedRoot struct {
	*played
	fixture, selection string
	odds               []string // of the selection, by cycle
	fixtures           [3]int   // of each snapshot
	rows               snapshot.Manifest
}

func newAuditedRoot(t *testing.T) *auditedRoot {
	t.Helper()
	disallowed, err := simulator.ParseFault("disallowed:1")
	check.Must(t, err)
	d := &auditedRoot{played: newPlayedAt(t, time.Date(2026, 11, 24, 13, 0, 0, 0, time.UTC),
		simulator.Options{Seed: 3, Fixtures: 8, InPlay: 16, Faults: []simulator.Fault{disallowed}})}
	seen := map[string][]string{} // odds of match results, by selection
	of := map[string]string{}
	for n := range 3 {
		if n == 2 {
			d.now = d.now.Add(-liveBefore * 30 * time.Second)
			for range liveBefore {
				d.cycle(football.LiveIntelligence)
				d.now = d.now.Add(30 * time.Second)
			}
		}
		d.cycle(football.MarketEngine)
		d.cycle(football.LiveIntelligence)
		root, err := d.dataset(football.MarketEngine).Open()
		d.must(err)
		defer root.Close()
		c, err := snapshot.Resolve(root, "latest")
		d.must(err)
		d.rows, err = snapshot.Open(root, c)
		d.must(err)
		d.fixtures[n] = int(d.rows.Tables["fixtures"].Rows)
		for m, err := range snapshot.Rows[table.MarketRow](root, c.Dir()+"/"+layout.MarketsFile) {
			d.must(err)
			if m.Market == nil || *m.Market != "MATCH_RESULT" || *m.Period != "FT" {
				continue
			}
			for _, s := range m.Selections {
				seen[s.SelectionID] = append(seen[s.SelectionID], *s.OddsDecimalText)
				of[s.SelectionID] = m.FixtureID
			}
		}
		d.now = d.now.Add(time.Hour)
	}
	d.now = d.now.Add(-time.Hour)
	for id, odds := range seen {
		if len(odds) == 3 && id > d.selection {
			d.selection, d.fixture, d.odds = id, of[id], odds
		}
	}
	if d.selection == "" {
		t.Fatal("no selection is in all three snapshots")
	}
	return d
}

// blocks returns the code blocks of a language in docs/auditors.md, with the ids of this data root.
func (d *auditedRoot) blocks(language string) (list []string) {
	d.Helper()
	page, err := os.ReadFile("../../docs/auditors.md")
	d.must(err)
	for _, found := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(page, -1) {
		list = append(list, strings.NewReplacer("fx_…", d.fixture, "sl_…", d.selection).Replace(string(found[1])))
	}
	return list
}

func ask(t *testing.T, db *sql.DB, query string) (rows [][]string) {
	t.Helper()
	answer, err := db.Query(query)
	if err != nil {
		t.Errorf("%s\n%v", query, err)
		return nil
	}
	defer answer.Close()
	names, err := answer.Columns()
	check.Must(t, err)
	for answer.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		check.Must(t, answer.Scan(into...))
		row := make([]string, len(names))
		for i, v := range values {
			row[i] = fmt.Sprint(v)
		}
		rows = append(rows, row)
	}
	if err := answer.Err(); err != nil {
		t.Errorf("%s\n%v", query, err)
	}
	return rows
}

func column(rows [][]string, n int) (values []string) {
	for _, r := range rows {
		values = append(values, r[n])
	}
	return values
}

// counted returns the manifest's counts of a column, in the form of the queries.
func (d *auditedRoot) counted(table, column string) string {
	n := d.rows.Tables[table].Columns[column]
	return fmt.Sprint([]string{fmt.Sprint(n.Absent), fmt.Sprint(n.Null), fmt.Sprint(n.Zero), fmt.Sprint(n.Value)})
}

// Every query in the docs works in a DuckDB without mkt, and its result agrees with mkt.
func TestAuditorsQueries(t *testing.T) {
	d := newAuditedRoot(t)
	blocks, copying := d.blocks("sql"), d.blocks("sh") // before the working directory changes
	t.Chdir(filepath.Dir(d.data))
	db, err := sql.Open("duckdb", "")
	d.must(err)
	defer db.Close()
	db.SetMaxOpenConns(1) // one session, for SET TimeZone
	live := slices.IndexFunc(blocks, func(query string) bool { return strings.HasPrefix(query, "-- every live publication\n") })
	taken := slices.IndexFunc(blocks, func(query string) bool { return strings.HasPrefix(query, "-- goals that were taken back\n") })
	d.must(copyLiveCommits(t, copying))
	if rows := ask(t, db, blocks[live]); len(rows) != 3+liveBefore {
		t.Errorf("%d live publications before any are compacted, want %d", len(rows), 3+liveBefore)
	}
	d.must(os.RemoveAll("unpacked"))
	d.packLiveCommits(t)
	_ = copyLiveCommits(t, copying) // which leaves the pack, if tar cannot unpack it here
	checks := map[string]func(rows [][]string) string{
		"every Asian handicap": func(rows [][]string) string {
			if !strings.Contains(fmt.Sprint(column(rows, 3)), "ASIAN_HANDICAP") {
				return "want Asian handicaps"
			}
			return ""
		},
		"served at a moment": func(rows [][]string) string {
			if len(rows) != d.fixtures[1] || rows[0][1] != "20261124T140000Z-market_engine" {
				return fmt.Sprintf("want the %d fixtures of version 2", d.fixtures[1])
			}
			return ""
		},
		"one market at a moment": func(rows [][]string) string {
			if len(rows) != 3 || !strings.Contains(fmt.Sprint(column(rows, 2)), d.odds[1]) {
				return "want three selections, one of them with " + d.odds[1]
			}
			return ""
		},
		"what every column means": func(rows [][]string) string {
			if len(rows) != 1 || !json.Valid([]byte(rows[0][0])) || !strings.Contains(rows[0][0], `"selections.odds_decimal_text"`) {
				return "want the words for every column"
			}
			return ""
		},
		"odds over time":      func(rows [][]string) string { return cmp.Diff(d.odds, column(rows, 3)) },
		"the path of a price": func(rows [][]string) string { return cmp.Diff(slices.Compact(slices.Clone(d.odds)), column(rows, 5)) },
		"odds that moved":     d.movedAsDiffSays,
		"events of a range": func(rows [][]string) string {
			return cmp.Diff(strings.Fields("3 4 5 6 7 8 9 10 11 12"), column(rows, 0))
		},
		"no seq is missing": func(rows [][]string) string {
			if len(rows) != 1 || rows[0][0] != rows[0][1] || len(rows[0][0]) < 2 {
				return "want as many events as there are numbers"
			}
			return ""
		},
		"what was removed, and why": func(rows [][]string) string {
			removed := 0
			for _, event := range ask(t, db, "SELECT DISTINCT seq FROM read_parquet('data/client_id=acme/product=market_engine/changes/*.parquet') WHERE type = 'fixture_removed'") {
				removed += len(event)
			}
			for _, r := range rows {
				if r[3] == "<nil>" || r[6] >= "20261124T150000Z" || r[7] != "OVER" && r[7] != "not listed" {
					return "want a fixture with its last snapshot and the reason"
				}
			}
			if len(rows) == 0 || len(rows) != removed {
				return fmt.Sprintf("want the %d fixtures that were removed", removed)
			}
			return ""
		},
		"RAW markets by reason": func(rows [][]string) string {
			got := map[string]int{}
			for _, r := range rows {
				n, err := strconv.Atoi(r[3])
				d.must(err)
				got[r[0]] += n
			}
			return cmp.Diff(d.rows.RawMarkets, got)
		},
		"the chain of publications": func(rows [][]string) string {
			return cmp.Diff([]string{"<nil>", "true", "true"}, column(rows, 3))
		},
		"files and their hashes": func(rows [][]string) string {
			return cmp.Diff(slices.Repeat([]string{"true"}, 3*3), column(rows, 3))
		},
		"states of a column of fixtures": func(rows [][]string) string {
			return cmp.Diff(d.counted("fixtures", "league"), fmt.Sprint(rows[0]))
		},
		"states of the odds": func(rows [][]string) string {
			return cmp.Diff(d.counted("markets", "selections.odds_decimal_text"), fmt.Sprint(rows[0]))
		},
		"the same, from the manifest": func(rows [][]string) string {
			for _, r := range rows {
				if want := d.counted(r[0], r[1]); fmt.Sprint(r[2:]) != want {
					return r[0] + " " + r[1] + ": want " + want
				}
			}
			if len(rows) < 30 {
				return "want every column"
			}
			return ""
		},
		"states of live counters": func(rows [][]string) string {
			if !strings.Contains(fmt.Sprint(column(rows, 1)), "VALUE") {
				return "want counters with a value"
			}
			return ""
		},
		"goals that were taken back": func(rows [][]string) string {
			for _, r := range rows {
				if r[0] == "<nil>" || r[2] == "<nil>" || r[8] == "<nil>" {
					return "want only goals that were taken back"
				}
			}
			canonical := strings.Replace(blocks[taken], "/snapshots/", "/canonical/", 1)
			return cmp.Diff(rows, ask(t, db, canonical))
		},
		"freshness of what was published": func(rows [][]string) string {
			return cmp.Diff([]string{"1", "2", "3"}, column(rows, 0)) + agesDiffer(column(rows, 4))
		},
		"age of every fixture when it was published": func(rows [][]string) string {
			if len(rows) < d.fixtures[2] {
				return "want every fixture"
			}
			return agesDiffer(column(rows, 4))
		},
		"a copy of every fixture as Parquet": func(rows [][]string) string {
			var fixtures int
			for _, n := range d.fixtures {
				fixtures += n
			}
			return cmp.Diff(rows, [][]string{{fmt.Sprint(fixtures)}})
		},
		"every live publication": func(rows [][]string) string {
			if len(rows) != livePublications || rows[0][0] != "1" || rows[livePublications-1][0] != fmt.Sprint(livePublications) {
				return fmt.Sprintf("want all %d publications", livePublications)
			}
			return ""
		},
	}
	for _, query := range blocks {
		name, _, _ := strings.Cut(strings.TrimPrefix(query, "-- "), "\n")
		t.Run(name, func(t *testing.T) {
			check, known := checks[name]
			if !known {
				t.Fatalf("nothing checks what it says: %s", query)
			}
			delete(checks, name)
			for _, zone := range []string{"Europe/Paris", "Pacific/Auckland"} { // the auditor's machine
				_, err := db.Exec("SET TimeZone = '" + zone + "'")
				d.must(err)
				rows := ask(t, db, query)
				if len(rows) == 0 {
					t.Fatalf("no answer: %s", query)
				}
				if wrong := check(rows); wrong != "" {
					t.Errorf("%s\n%.10s\n%s", query, rows, wrong)
				}
			}
		})
	}
	for name := range checks {
		t.Errorf("the page has no query %q any more", name)
	}
}

// notebook is docs/auditors.ipynb, in the order of its keys.
type notebook struct {
	Cells    []notebookCell  `json:"cells"`
	Metadata json.RawMessage `json:"metadata"`
	Format   int             `json:"nbformat"`
	Minor    int             `json:"nbformat_minor"`
}

type notebookCell struct {
	Type      string          `json:"cell_type"`
	Execution json.RawMessage `json:"execution_count,omitempty"`
	ID        string          `json:"id"`
	Metadata  json.RawMessage `json:"metadata"`
	Outputs   *[]any          `json:"outputs,omitempty"`
	Source    []string        `json:"source"`
}

var askedSQL = regexp.MustCompile(`(?s)ask\("""\n(-- ([^\n]*)\n.*?)"""\)`)

// The notebook asks the queries of docs/auditors.md, which TestAuditorsQueries runs, word for
// word and in its own order. It is committed without answers.
func TestAuditorsNotebook(t *testing.T) {
	const name = "../../docs/auditors.ipynb"
	page, err := os.ReadFile("../../docs/auditors.md")
	check.Must(t, err)
	missing := map[string]string{}
	for _, found := range regexp.MustCompile("(?s)```sql\n(-- ([^\n]*)\n.*?)```").FindAllStringSubmatch(string(page), -1) {
		missing[found[2]] = found[1]
	}
	delete(missing, "every live publication") // needs files that are unpacked by hand
	delete(missing, "a copy of every fixture as Parquet")
	data, err := os.ReadFile(name)
	check.Must(t, err)
	var n notebook
	check.Must(t, json.Unmarshal(data, &n))
	for i := range n.Cells {
		c := &n.Cells[i]
		text := strings.Join(c.Source, "")
		if c.Outputs != nil && len(*c.Outputs) > 0 || c.Execution != nil && string(c.Execution) != "null" {
			t.Errorf("%s has an answer; clear all of them", c.ID)
		}
		for _, found := range askedSQL.FindAllStringSubmatch(text, -1) {
			want, known := missing[found[2]]
			delete(missing, found[2])
			if *update && known {
				text = strings.Replace(text, found[1], want, 1)
			} else if diff := cmp.Diff(want, found[1]); diff != "" {
				t.Errorf("%s: the query is another one than in docs/auditors.md (-update copies it):\n%s", c.ID, diff)
			}
		}
		c.Source = slices.Collect(strings.Lines(text))
	}
	for query := range missing {
		t.Errorf("no cell asks the query %q of docs/auditors.md", query)
	}
	if *update {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		check.Must(t, enc.Encode(n))
		check.Must(t, os.WriteFile(name, b.Bytes(), 0o644))
	}
}

// The notebook runs in Jupyter, from the first cell to the last.
func TestNodeNotebook(t *testing.T) {
	needs.Node(t)
	python := needs.Python(t, "nbclient", "ipykernel", "duckdb", "pytz")
	d := newAuditedRoot(t)
	cmd := exec.CommandContext(t.Context(), python, "-c", `
import json, nbformat, nbclient
book = nbformat.read("../../docs/auditors.ipynb", 4)
nbformat.validate(book)
nbclient.NotebookClient(book, timeout=120).execute()
print(json.dumps(book))`)
	cmd.Env = append(os.Environ(), "MKT_DATA="+d.data, "MKT_ACCOUNT=acme")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	for _, want := range []string{d.odds[2], "20261124T150000Z-market_engine", "not listed", "3 rows"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no answer has %q", want)
		}
	}
}

// agesDiffer checks the ages of rows that were published two seconds after their retrieval. It
// returns what is wrong, or "".
func agesDiffer(ages []string) string {
	for _, age := range ages {
		if age != "{0 0 2000000}" { // days, months, microseconds
			return "want an age of two seconds, not " + age
		}
	}
	return ""
}

// livePublications is how many there are once packLiveCommits has been called.
const livePublications = layout.PackedCommits + 5

// packLiveCommits adds live publications until a pack of them is full, compacts their records, and
// unpacks the pack as docs/auditors.md says.
func (d *auditedRoot) packLiveCommits(t *testing.T) {
	t.Helper()
	root, err := d.dataset(football.LiveIntelligence).Open()
	d.must(err)
	defer root.Close()
	last, _, err := snapshot.Head(root)
	d.must(err)
	for last.Version < livePublications {
		next := last
		next.Version, next.PreviousSHA256, next.PublishedAt = last.Version+1, last.SHA256, last.PublishedAt.Add(8*time.Second)
		next.CycleID = layout.NewCycleID(next.PublishedAt, string(football.LiveIntelligence))
		last, err = snapshot.Seal(root, next, "staged")
		d.must(err)
		d.must(root.Remove("staged"))
	}
	packed, err := snapshot.CompactCommits(root, livePublications)
	d.must(err)
	if packed != layout.PackedCommits {
		t.Fatalf("%d records are packed", packed)
	}
	packs, err := filepath.Glob(filepath.Join(d.dataset(football.LiveIntelligence).Dir(), layout.CommitsDir, "*.tar.zst"))
	d.must(err)
	d.must(os.Mkdir("unpacked", 0o755))
	for _, name := range packs {
		data, err := os.ReadFile(name)
		d.must(err)
		_, plain, err := unpacked(data)
		d.must(err)
		for files := tar.NewReader(bytes.NewReader(plain)); ; {
			header, err := files.Next()
			if err == io.EOF {
				break
			}
			d.must(err)
			record, err := io.ReadAll(files)
			d.must(err)
			d.must(os.WriteFile(filepath.Join("unpacked", header.Name), record, 0o644))
		}
	}
}

// copyLiveCommits runs the block of docs/auditors.md that copies all live commit records.
func copyLiveCommits(t *testing.T, blocks []string) error {
	i := slices.IndexFunc(blocks, func(block string) bool { return strings.HasPrefix(block, "mkdir -p unpacked\n") })
	out, err := exec.CommandContext(t.Context(), "sh", "-c", blocks[i]).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}

// movedAsDiffSays compares the odds that moved with mkt diff.
func (d *auditedRoot) movedAsDiffSays(rows [][]string) string {
	out, err := d.run("diff", "20261124T140000Z-market_engine", "20261124T150000Z-market_engine", "--only", "odds", "--output", "json")
	d.must(err)
	moved := 0
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var c struct{ Change, Field string }
		d.must(dec.Decode(&c))
		if c.Change == "odds_moved" && c.Field == "odds_decimal" {
			moved++
		}
	}
	if len(rows) != moved {
		return fmt.Sprintf("%d rows, and mkt diff says %d", len(rows), moved)
	}
	return ""
}

// Every command line of inspect and diff in docs/auditors.md works.
func TestAuditorsCommands(t *testing.T) {
	d := newAuditedRoot(t)
	calls, blocks := 0, d.blocks("sh")
	for _, block := range blocks {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, " #")
			if !strings.HasPrefix(line, "mkt inspect") && !strings.HasPrefix(line, "mkt diff") {
				continue
			}
			calls++
			var args []string
			for _, word := range regexp.MustCompile(`"([^"]*)"|\S+`).FindAllStringSubmatch(line, -1)[1:] {
				if word[1] != "" {
					word[0] = word[1]
				}
				args = append(args, word[0])
			}
			var out, errs bytes.Buffer
			code := run(t.Context(), append(args, "--data", d.data), strings.NewReader(""), &out, &errs)
			if code != 0 || out.Len() == 0 {
				t.Errorf("%s: exit %d: %s%s", line, code, out.String(), errs.String())
			}
		}
	}
	if calls < 9 {
		t.Errorf("%d calls", calls)
	}
}
