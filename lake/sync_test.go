package lake

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	icetable "github.com/apache/iceberg-go/table"
	"github.com/google/go-cmp/cmp"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// TestSync syncs after some rounds and after more, and holds every publication that the lake
// gives back against the published files, digit for digit.
func TestSync(t *testing.T) {
	lake := t.TempDir()
	for _, rounds := range []int{1, 3, 4} {
		root := dataRoot(t, rounds)
		for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
			mustSync(t, root, lake, product)
			if again := mustSync(t, root, lake, product); again.Appends != 0 || again.Newest != uint64(rounds) {
				t.Errorf("%s: a second sync: %+v", product, again)
			}
		}
	}
	t.Run("iceberg-go", func(t *testing.T) { checkLake(t, byLibrary, lake, 4, nil) })
	t.Run("icebird", func(t *testing.T) {
		needsIcebird(t)
		checkLake(t, byIcebird, lake, 4, nil)
	})
	t.Run("summaries", func(t *testing.T) { checkSummaries(t, lake) })
}

// checkLake compares every publication that the lake gives back with the published files.
// Publications in missing must have no rows.
func checkLake(t *testing.T, read reader, lake string, versions int, missing []int) {
	t.Helper()
	tables := map[string][]values{}
	for _, name := range []string{"steps", "fixtures", "markets", "changes", "publications", "live", "live_publications"} {
		tables[name] = read(t, lake, name)
	}
	removed := 0
	for v := 1; v <= versions; v++ {
		for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
			root := optionsFor(t, dataRoot(t, 4), lake, product).Root
			c, err := snapshot.ReadCommit(root, uint64(v))
			if err != nil {
				t.Fatal(err)
			}
			record := publicationOf(t, tables, product, v)
			if record["commit_sha256"] != c.SHA256 || record["manifest_sha256"] != c.ManifestSHA256 || record["cycle_id"] != string(c.CycleID) {
				t.Errorf("%s: publication %d: %v", product, v, record)
			}
			if slices.Contains(missing, v) {
				if record["coverage"] != coverageMissing {
					t.Errorf("%s: publication %d: rows %v", product, v, record["coverage"])
				}
				continue
			}
			m, err := snapshot.Open(root, c)
			if err != nil {
				t.Fatal(err)
			}
			if product == football.LiveIntelligence {
				compare(t, fmt.Sprintf("live %d", v), published[table.LiveRow](t, root, c, m, layout.LiveFile), ofVersion(tables["live"], v))
				continue
			}
			fixtures, markets, gone := datasetAt(tables, v)
			removed += gone
			compare(t, fmt.Sprintf("fixtures %d", v), published[table.FixtureRow](t, root, c, m, layout.FixturesFile), fixtures)
			compare(t, fmt.Sprintf("markets %d", v), published[table.MarketRow](t, root, c, m, layout.MarketsFile), markets)
		}
	}
	if removed == 0 && len(missing) == 0 {
		t.Error("no fixture was removed in the whole test: it shows nothing about removals")
	}
	root := optionsFor(t, dataRoot(t, 4), lake, football.MarketEngine).Root
	head, _, err := snapshot.Head(root)
	if err != nil {
		t.Fatal(err)
	}
	m, err := snapshot.Open(root, head)
	if err != nil {
		t.Fatal(err)
	}
	var events []values
	for row, err := range snapshot.Events(root, m, 0) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, valuesOf(*row))
	}
	compare(t, "changes", events, tables["changes"])
	var steps []values
	for _, segment := range m.Steps {
		for row, err := range snapshot.Rows[table.StepRow](root, segment.File) {
			if err != nil {
				t.Fatal(err)
			}
			steps = append(steps, valuesOf(*row))
		}
	}
	compare(t, "steps", steps, tables["steps"])
}

// added are the columns of the lake that the published files do not have.
var added = []string{"client_id", "product", "version", "cycle_id", "published_at"}

func compare(t *testing.T, what string, want, got []values) {
	t.Helper()
	var bare []values
	for _, row := range got {
		if row["client_id"] != "acme" || row["cycle_id"] == nil || row["published_at"] == nil {
			t.Fatalf("%s: a row is not marked with its publication: %v", what, row)
		}
		row = maps.Clone(row)
		for _, name := range added {
			if len(want) == 0 || !has(want[0], name) {
				delete(row, name)
			}
		}
		bare = append(bare, row)
	}
	order := func(a, b values) int {
		key := func(r values) string {
			seq, _ := strconv.Atoi(fmt.Sprint(r["seq"]))
			return fmt.Sprintf("%v %v %v %010d", r["fixture_id"], r["market_id"], r["selection_id"], seq)
		}
		return strings.Compare(key(a), key(b))
	}
	slices.SortFunc(bare, order)
	want = slices.SortedFunc(slices.Values(want), order)
	if len(want) == 0 {
		t.Errorf("%s: nothing is published: the test shows nothing", what)
	}
	if diff := cmp.Diff(want, bare); diff != "" {
		t.Errorf("%s: published (-) and in the lake (+):\n%.3000s", what, diff)
	}
}

func has(row values, name string) bool { _, has := row[name]; return has }

func published[T table.Row](t *testing.T, root durable.ReadFS, c snapshot.Commit, m snapshot.Manifest, file string) (rows []values) {
	t.Helper()
	for row, err := range snapshot.VerifiedRows[T](root, c.Dir(), m, file) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, valuesOf(*row))
	}
	return rows
}

func versionOf(row values) int {
	v, err := strconv.Atoi(row["version"].(string))
	if err != nil {
		panic(err)
	}
	return v
}

func ofVersion(rows []values, v int) (some []values) {
	for _, row := range rows {
		if versionOf(row) == v {
			some = append(some, row)
		}
	}
	return some
}

func publicationOf(t *testing.T, tables map[string][]values, product football.Product, v int) values {
	t.Helper()
	name := "publications"
	if product == football.LiveIntelligence {
		name = "live_publications"
	}
	rows := ofVersion(tables[name], v)
	if len(rows) != 1 {
		t.Fatalf("%s has publication %d %d times", name, v, len(rows))
	}
	return rows[0]
}

// datasetAt returns the dataset of a publication, as docs/lake.md says it is read.
func datasetAt(tables map[string][]values, v int) (fixtures, markets []values, removed int) {
	base := 0
	for _, row := range tables["publications"] {
		if at := versionOf(row); at <= v && row["coverage"] == coverageAll {
			base = max(base, at)
		}
	}
	newest := map[any]values{}
	for _, row := range tables["fixtures"] {
		if at := versionOf(row); at >= base && at <= v && (newest[row["fixture_id"]] == nil || at > versionOf(newest[row["fixture_id"]])) {
			newest[row["fixture_id"]] = row
		}
	}
	for _, event := range tables["changes"] {
		id := event["fixture_id"]
		if at := versionOf(event); event["type"] == "fixture_removed" && at <= v && newest[id] != nil && at > versionOf(newest[id]) {
			delete(newest, id)
			removed++
		}
	}
	for _, row := range tables["markets"] {
		if f := newest[row["fixture_id"]]; f != nil && versionOf(f) == versionOf(row) {
			markets = append(markets, row)
		}
	}
	return slices.Collect(maps.Values(newest)), markets, removed
}

// checkSummaries compares what the snapshots of the tables say with the commit records.
func checkSummaries(t *testing.T, lake string) {
	c, err := openCatalog(lake, "")
	if err != nil {
		t.Fatal(err)
	}
	root := optionsFor(t, dataRoot(t, 4), lake, football.MarketEngine).Root
	for _, name := range []string{"fixtures", "markets", "publications"} {
		tbl, err := c.LoadTable(t.Context(), icetable.Identifier{"acme", name})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(tbl.Metadata().Snapshots()); n != 4 {
			t.Errorf("%s: %d snapshots for 4 publications", name, n)
		}
		for i, s := range tbl.Metadata().Snapshots() {
			record, err := snapshot.ReadCommit(root, uint64(i+1))
			if err != nil {
				t.Fatal(err)
			}
			p := s.Summary.Properties
			if s.Summary.Operation != icetable.OpAppend || p[propVersion] != strconv.Itoa(i+1) || p[propFirst] != p[propVersion] ||
				p[propCycle] != string(record.CycleID) || p[propCommit] != record.SHA256 || p[propManifest] != record.ManifestSHA256 {
				t.Errorf("%s: snapshot %d: %s %v, of %+v", name, i, s.Summary.Operation, p, record)
			}
		}
	}
}

// TestDeletedByRetention syncs roots whose snapshots retention deleted before and between
// the syncs.
func TestDeletedByRetention(t *testing.T) {
	lake := t.TempDir()
	for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
		mustSync(t, dataRoot(t, 1), lake, product)
		root := copyOf(t, dataRoot(t, 4))
		forget(t, root, product, 1, 2)
		sum := mustSync(t, root, lake, product)
		if want := []Range{{2, 2}}; !slices.Equal(sum.Missing, want) || sum.Newest != 4 {
			t.Errorf("%s: %+v", product, sum)
		}
		late := mustSync(t, root, t.TempDir(), product)
		if late.Before != 2 || late.First != 3 || late.Missing != nil {
			t.Errorf("%s: a lake that begins late: %+v", product, late)
		}
	}
	checkLake(t, byLibrary, lake, 4, []int{2})
}

// vanishing is a data root whose retention deletes a snapshot while it is read.
type vanishing struct {
	durable.ReadFS
	folder, snapshot string
}

func (v vanishing) Open(name string) (durable.Reader, error) {
	if name == v.snapshot+"/"+layout.MarketsFile {
		if err := os.RemoveAll(filepath.Join(v.folder, v.snapshot)); err != nil {
			return nil, err
		}
	}
	return v.ReadFS.Open(name)
}

// TestDeletedWhileRead: a snapshot that retention deletes while it is read is missing, whole.
func TestDeletedWhileRead(t *testing.T) {
	lake, root := t.TempDir(), copyOf(t, dataRoot(t, 4))
	o := optionsFor(t, root, lake, football.MarketEngine)
	c, err := snapshot.ReadCommit(o.Root, 2)
	if err != nil {
		t.Fatal(err)
	}
	o.Root = vanishing{o.Root, productDir(root, football.MarketEngine), c.Dir()}
	sum, err := Sync(t.Context(), o)
	if want := []Range{{2, 2}}; err != nil || !slices.Equal(sum.Missing, want) {
		t.Fatalf("%+v, %v", sum, err)
	}
	if n := len(ofVersion(byLibrary(t, lake, "fixtures"), 2)); n > 0 {
		t.Errorf("%d fixtures of the missing publication are in the lake", n)
	}
	if row := publicationOf(t, map[string][]values{"publications": byLibrary(t, lake, "publications")}, football.MarketEngine, 3); row["coverage"] != coverageAll {
		t.Errorf("the publication after it: %v", row)
	}
}

// TestOlderCopy: a table that was replaced by an older copy is noticed.
func TestOlderCopy(t *testing.T) {
	lake := t.TempDir()
	mustSync(t, dataRoot(t, 1), lake, football.MarketEngine)
	fixtures := filepath.Join(lake, "acme", "fixtures")
	older := copyOf(t, fixtures)
	mustSync(t, dataRoot(t, 2), lake, football.MarketEngine)
	replace(t, fixtures, older)
	_, err := Sync(t.Context(), optionsFor(t, dataRoot(t, 3), lake, football.MarketEngine))
	if err == nil || !strings.Contains(err.Error(), "table acme.fixtures has the publications up to 1, and publications up to 2") {
		t.Errorf("%v", err)
	}
}

// replace replaces a folder by a copy of another one.
func replace(t *testing.T, folder, by string) {
	t.Helper()
	err := os.RemoveAll(folder)
	if err == nil {
		err = os.CopyFS(folder, os.DirFS(by))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestStepsOfAnOlderLake: a lake that was made before there was a table of steps, or whose
// steps are an older copy, gets all that the data root has.
func TestStepsOfAnOlderLake(t *testing.T) {
	for _, isCopied := range []bool{false, true} {
		lake := t.TempDir()
		mustSync(t, dataRoot(t, 1), lake, football.MarketEngine)
		steps := filepath.Join(lake, "acme", "steps")
		older := copyOf(t, steps)
		mustSync(t, dataRoot(t, 3), lake, football.MarketEngine)
		if isCopied {
			replace(t, steps, older)
		} else if err := os.RemoveAll(steps); err != nil {
			t.Fatal(err)
		}
		mustSync(t, dataRoot(t, 4), lake, football.MarketEngine)
		mustSync(t, dataRoot(t, 4), lake, football.LiveIntelligence)
		checkLake(t, byLibrary, lake, 4, nil)
	}
}

// forget deletes the snapshots of publications, as retention does.
func forget(t *testing.T, root string, product football.Product, versions ...uint64) {
	t.Helper()
	for _, v := range versions {
		c, err := snapshot.ReadCommit(optionsFor(t, root, "", product).Root, v)
		if err == nil {
			err = os.RemoveAll(filepath.Join(productDir(root, product), c.Dir()))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOtherHistory: a lake never gets the publications of another history.
func TestOtherHistory(t *testing.T) {
	lake := t.TempDir()
	mustSync(t, dataRoot(t, 3), lake, football.MarketEngine)
	if _, err := Sync(t.Context(), optionsFor(t, dataRoot(t, 2), lake, football.MarketEngine)); !errors.Is(err, ErrOther) {
		t.Errorf("an older root: %v", err)
	}
	root := copyOf(t, dataRoot(t, 4))
	name := filepath.Join(productDir(root, football.MarketEngine), layout.Commit(3))
	record, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, append(record, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Sync(t.Context(), optionsFor(t, root, lake, football.MarketEngine)); !errors.Is(err, ErrOther) {
		t.Errorf("another record of the same number: %v", err)
	}
}

// A data root of a worker lacks what other workers published meanwhile: nothing is left out
// without a word.
func TestPartOfAStore(t *testing.T) {
	lake := t.TempDir()
	mustSync(t, dataRoot(t, 1), lake, football.MarketEngine)
	root := copyOf(t, dataRoot(t, 4))
	o := optionsFor(t, root, lake, football.MarketEngine)
	if err := snapshot.WriteFirst(o.Root.(durable.FS), 3); err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{0, 1} { // also without the record of the publication that the lake has
		if n > 0 {
			if err := os.Remove(filepath.Join(productDir(root, football.MarketEngine), layout.Commit(n))); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Sync(t.Context(), o); !errors.Is(err, ErrPart) {
			t.Errorf("publication 2 is not there: %v", err)
		}
	}
}

func TestDryRun(t *testing.T) {
	lake := filepath.Join(t.TempDir(), "lake")
	o := optionsFor(t, dataRoot(t, 4), lake, football.MarketEngine)
	o.DryRun = true
	sum, err := Sync(t.Context(), o)
	if err != nil || sum.First != 1 || sum.Last != 4 || sum.Newest != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, err := os.Stat(lake); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a dry run made the lake: %v", err)
	}
}

func TestLocked(t *testing.T) {
	lake := t.TempDir()
	mustSync(t, dataRoot(t, 1), lake, football.MarketEngine)
	disk, err := durable.OpenExisting(lake)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	lock, err := disk.Lock("acme/market_engine.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := Sync(t.Context(), optionsFor(t, dataRoot(t, 2), lake, football.MarketEngine)); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a sync beside another one: %v", err)
	}
}

// TestSnapshotsExpire: a table forgets old snapshots and keeps every row.
func TestSnapshotsExpire(t *testing.T) {
	lake := t.TempDir()
	for rounds := 1; rounds <= 4; rounds++ {
		for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
			o := optionsFor(t, dataRoot(t, rounds), lake, product)
			o.Snapshots = 1
			if _, err := Sync(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	c, err := openCatalog(lake, "")
	if err != nil {
		t.Fatal(err)
	}
	tbl, err := c.LoadTable(t.Context(), icetable.Identifier{"acme", "markets"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tbl.Metadata().Snapshots()); n > 2 {
		t.Errorf("%d snapshots are kept", n)
	}
	checkLake(t, byLibrary, lake, 4, nil)
}

// TestLocation: the tables of a lake that is copied to a bucket name their files there.
func TestLocation(t *testing.T) {
	const location = "s3://bucket"
	lake := t.TempDir()
	var sum Summary
	for rounds := 1; rounds <= 2; rounds++ {
		o := optionsFor(t, dataRoot(t, rounds), lake, football.MarketEngine)
		o.Location = location + "/"
		var err error
		if sum, err = Sync(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if sum.First != 2 || sum.Last != 2 {
		t.Errorf("the second sync: %+v", sum)
	}
	want := byLibraryAt(t, lake, location, "fixtures")
	if len(ofVersion(want, 2)) != int(sum.Rows["fixtures"]) {
		t.Errorf("%d fixtures are appended, and %d are in the lake", sum.Rows["fixtures"], len(ofVersion(want, 2)))
	}
	for _, other := range []string{"", "s3://other"} {
		o := optionsFor(t, dataRoot(t, 3), lake, football.MarketEngine)
		o.Location = other
		if _, err := Sync(t.Context(), o); err == nil || !strings.Contains(err.Error(), "it is made for s3://bucket/acme/publications") {
			t.Errorf("location %q: %v", other, err)
		}
	}
	for _, wrong := range []string{"bucket/lake", "s3://", "s3://key:secret@bucket", "s3://bucket?endpoint=x", "abfss://c:secret@a.dfs.core.windows.net/lake", "file:///lake"} {
		if err := CheckLocation(wrong); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("location %q: %v", wrong, err)
		}
	}
	if err := CheckLocation("abfss://container@account.dfs.core.windows.net/lake"); err != nil {
		t.Error(err)
	}
	needsIcebird(t)
	order := func(a, b values) int {
		return strings.Compare(fmt.Sprint(a["version"], a["fixture_id"]), fmt.Sprint(b["version"], b["fixture_id"]))
	}
	got := byIcebird(t, lake, "fixtures")
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("icebird: %.2000s", diff)
	}
}

// TestNewColumn: a table that an older version made gets the columns and lists that it lacks, in which its
// older rows have no value, and a column may become optional.
func TestNewColumn(t *testing.T) {
	type old struct {
		Name string `parquet:"name"`
	}
	type nested struct {
		Text  string `parquet:"text"`
		Count *int32 `parquet:"count,optional"`
	}
	type renewed struct {
		Added *string  `parquet:"added,optional"`
		Name  *string  `parquet:"name,optional"`
		Rows  []nested `parquet:"rows,list"`
	}
	lake := t.TempDir()
	for _, dir := range []string{"metadata", "data"} {
		if err := os.MkdirAll(filepath.Join(lake, "acme", "try", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c, err := openCatalog(lake, "")
	if err != nil {
		t.Fatal(err)
	}
	id := icetable.Identifier{"acme", "try"}
	before, err := openTable[account, old](t.Context(), c, lake, id)
	if err != nil {
		t.Fatal(err)
	}
	appendRow(t, before, 1, &old{"first"})
	after, err := openTable[account, renewed](t.Context(), c, lake, id)
	if err != nil {
		t.Fatal(err)
	}
	text := "value"
	appendRow(t, after, 2, &renewed{&text, nil, []nested{{"one", nil}, {"two", new(int32)}}})
	want := []values{
		{"client_id": "acme", "product": "p", "version": "1", "name": "first", "added": nil, "rows": nil},
		{"client_id": "acme", "product": "p", "version": "2", "name": nil, "added": "value",
			"rows": []any{map[string]any{"text": "one", "count": nil}, map[string]any{"text": "two", "count": "0"}}}}
	got := byLibrary(t, lake, "try")
	slices.SortFunc(got, func(a, b values) int { return versionOf(a) - versionOf(b) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func appendRow[T any](t *testing.T, to *lakeTable[account, T], version uint64, row *T) {
	t.Helper()
	to.begin(version)
	err := to.write(version, &account{"acme", "p", int64(version)}, row)
	if err == nil {
		_, err = to.commit(t.Context(), map[string]string{propVersion: strconv.FormatUint(version, 10)})
	}
	if err != nil {
		t.Fatal(err)
	}
}
