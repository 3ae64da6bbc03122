package lake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	iceio "github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
	"github.com/parquet-go/parquet-go"
)

// Properties of a table, and of the summaries of its snapshots, about the publication appended
// last. Engines that compact a table or expire its snapshots keep the properties of the table.
const (
	propVersion  = "mkt.version"
	propFirst    = "mkt.first-version"
	propCycle    = "mkt.cycle-id"
	propCommit   = "mkt.commit-sha256"
	propManifest = "mkt.manifest-sha256"
	propCoverage = "mkt.coverage"
)

var tableProperties = iceberg.Properties{
	table.ManifestMergeEnabledKey:             "true",
	table.MetadataDeleteAfterCommitEnabledKey: "true",
	table.MetadataPreviousVersionsMaxKey:      "20",
	"write.parquet.compression-codec":         "zstd", // of engines that compact the table
}

// appender is a table of the lake, whatever its rows are.
type appender interface {
	name() string
	appended() uint64            // newest publication in the table; 0 if there is none
	property(name string) string // as set by the newest append
	begin(first uint64)
	metadata() string // its newest metadata
	rows() int64
	commit(ctx context.Context, p iceberg.Properties) (bytes int64, err error)
	discard()
	removeLeftovers() error
	expire(ctx context.Context, keep int) error
}

// lakeTable is a table whose rows have the columns of H, then those of T.
type lakeTable[H, T any] struct {
	id   table.Identifier
	tbl  *table.Table
	io   iceio.WriteFileIO
	last uint64

	head   *parquet.Schema // of H
	source *parquet.Schema // of T
	schema *parquet.Schema // of both, with the field ids of the table
	scaled []bool
	// described is the schema of the table in JSON. Every file names it, as the files of other
	// writers do.
	described string

	// The file that is being written.
	file  string
	to    iceio.FileWriter
	out   *parquet.GenericWriter[any]
	row   parquet.Row
	count int64
}

// openTable opens a table below a location, makes it if it is missing, and adds the columns it
// lacks.
func openTable[H, T any](ctx context.Context, c catalog.Catalog, location string, id table.Identifier) (*lakeTable[H, T], error) {
	var head H
	var row T
	t := &lakeTable[H, T]{id: id, head: parquet.SchemaOf(head), source: parquet.SchemaOf(row)}
	wanted := schemaOf(reflect.TypeFor[H](), reflect.TypeFor[T]())
	var err error
	t.tbl, err = c.LoadTable(ctx, id)
	if errors.Is(err, catalog.ErrNoSuchTable) {
		t.tbl, err = c.CreateTable(ctx, id, wanted, catalog.WithProperties(maps.Clone(tableProperties)))
	}
	if err == nil && t.tbl.Location() != location+"/"+strings.Join(id, "/") {
		err = fmt.Errorf("it is made for %s: a lake is never moved, because its tables name their files by it; give that location, or sync into another folder", t.tbl.Location())
	}
	if errors.Is(err, table.ErrInvalidMetadata) {
		err = fmt.Errorf("its newest metadata cannot be read: %w: restore it from a backup of the lake, or sync into another folder", err)
	}
	if err != nil {
		return nil, t.wrap(err)
	}
	if lacks(t.tbl.Schema().AsStruct(), wanted.AsStruct()) {
		txn := t.tbl.NewTransaction()
		if err := txn.UpdateSchema(true, false).UnionByNameWith(wanted).Commit(); err != nil {
			return nil, t.wrap(fmt.Errorf("new columns: %w", err))
		}
		if t.tbl, err = txn.Commit(ctx); err != nil {
			return nil, t.wrap(fmt.Errorf("new columns: %w", err))
		}
	}
	files, err := t.tbl.FS(ctx)
	if err != nil {
		return nil, t.wrap(err)
	}
	t.io = files.(iceio.WriteFileIO)
	t.schema, t.scaled = withIDs(t.head, t.source, t.tbl.Schema())
	described, err := json.Marshal(t.tbl.Schema())
	if err != nil {
		return nil, t.wrap(err)
	}
	t.described = string(described)
	if t.last, err = lastOf(t.tbl); err != nil {
		return nil, t.wrap(err)
	}
	return t, nil
}

// lastOf returns the newest publication in a table; 0 if there is none.
func lastOf(t *table.Table) (uint64, error) {
	text, has := t.Properties()[propVersion]
	if !has && t.CurrentSnapshot() != nil {
		return 0, fmt.Errorf("it has rows, and its property %s, which names the newest publication in it, is gone: set it again, or sync into another lake", propVersion)
	}
	if !has {
		return 0, nil
	}
	last, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("its property %s: %w", propVersion, err)
	}
	return last, nil
}

// lacks reports whether a schema lacks a wanted column, or requires a value that is optional in
// the wanted one.
func lacks(has, wanted iceberg.StructType) bool {
	for _, w := range wanted.FieldList {
		at := slices.IndexFunc(has.FieldList, func(h iceberg.NestedField) bool { return h.Name == w.Name })
		if at < 0 || has.FieldList[at].Required && !w.Required || lacksIn(has.FieldList[at].Type, w.Type) {
			return true
		}
	}
	return false
}

func lacksIn(has, wanted iceberg.Type) bool {
	switch w := wanted.(type) {
	case *iceberg.ListType:
		h, is := has.(*iceberg.ListType)
		return is && lacksIn(h.Element, w.Element)
	case *iceberg.StructType:
		h, is := has.(*iceberg.StructType)
		return is && lacks(*h, *w)
	}
	return false
}

func (t *lakeTable[H, T]) name() string     { return t.id[len(t.id)-1] }
func (t *lakeTable[H, T]) appended() uint64 { return t.last }
func (t *lakeTable[H, T]) rows() int64      { return t.count }
func (t *lakeTable[H, T]) metadata() string { return t.tbl.MetadataLocation() }

func (t *lakeTable[H, T]) wrap(err error) error {
	return fmt.Errorf("table %s: %w", strings.Join(t.id, "."), err)
}

// fileName names the file of an append by its first publication.
func fileName(first uint64) string { return fmt.Sprintf("%020d.parquet", first) }

// firstOf returns the first publication of a file with such a name.
func firstOf(name string) (uint64, bool) {
	first, err := strconv.ParseUint(strings.TrimSuffix(name, ".parquet"), 10, 64)
	return first, err == nil && name == fileName(first)
}

// begin begins the file of an append. The first row creates it.
func (t *lakeTable[H, T]) begin(first uint64) {
	t.file, t.count = t.tbl.Location()+"/data/"+fileName(max(first, t.last+1)), 0
}

// write adds a row of a publication, unless the table already has the publication.
func (t *lakeTable[H, T]) write(version uint64, head *H, row *T) error {
	if version <= t.last {
		return nil
	}
	if t.out == nil {
		var err error
		if t.to, err = t.io.Create(t.file); err != nil {
			return t.wrap(err)
		}
		t.out = parquet.NewGenericWriter[any](t.to, t.schema, parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1),
			parquet.MaxRowsPerRowGroup(16<<10), parquet.CreatedBy("mkt lake", "1", ""), parquet.KeyValueMetadata("iceberg.schema", t.described))
	}
	t.row = t.head.Deconstruct(t.row[:0], head)
	own := len(t.row)
	t.row = t.source.Deconstruct(t.row, row)
	for i, v := range t.row {
		column := v.Column()
		if i >= own {
			column += own
		}
		repetition, definition := v.RepetitionLevel(), v.DefinitionLevel()
		if t.scaled[column] && !v.IsNull() {
			v = parquet.Int64Value(v.Int64() * 1000)
		}
		t.row[i] = v.Level(repetition, definition, column)
	}
	t.count++
	if _, err := t.out.WriteRows([]parquet.Row{t.row}); err != nil {
		return t.wrap(err)
	}
	return nil
}

// commit completes the file and appends it. Without rows it only records the publication.
func (t *lakeTable[H, T]) commit(ctx context.Context, p iceberg.Properties) (bytes int64, err error) {
	txn := t.tbl.NewTransaction()
	if t.out != nil {
		if bytes, err = t.addFile(ctx, txn, p); err != nil {
			return 0, t.wrap(err)
		}
	}
	if err := txn.SetProperties(p); err != nil {
		return 0, t.wrap(err)
	}
	tbl, err := txn.Commit(ctx)
	if err != nil {
		return 0, t.wrap(err)
	}
	t.tbl = tbl
	t.last, err = strconv.ParseUint(p[propVersion], 10, 63)
	return bytes, err
}

// addFile completes the file and adds it to a transaction.
func (t *lakeTable[H, T]) addFile(ctx context.Context, txn *table.Transaction, p iceberg.Properties) (bytes int64, err error) {
	err = t.out.Close()
	t.out = nil
	if err := errors.Join(err, t.to.Close()); err != nil {
		return 0, err
	}
	file, err := table.FileToDataFile(ctx, t.io, t.file, t.tbl.Schema(), t.tbl.Spec(), 0, t.tbl.Properties())
	if err != nil {
		return 0, err
	}
	return file.FileSizeBytes(), txn.AddDataFiles(ctx, []iceberg.DataFile{file}, p, table.WithoutDuplicateCheck())
}

// discard gives up the unfinished file. If its deletion fails, the next run removes it.
func (t *lakeTable[H, T]) discard() {
	if t.out != nil {
		t.to.Close()
		_ = t.io.Remove(t.file)
		t.out = nil
	}
}

// removeLeftovers removes the files of a stopped run: those of publications that the table
// lacks.
func (t *lakeTable[H, T]) removeLeftovers() error {
	err := t.io.(iceio.ListableIO).WalkDir(t.tbl.Location()+"/data", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if first, ours := firstOf(e.Name()); ours && first > t.last {
			return t.io.Remove(name)
		}
		return nil
	})
	if err != nil {
		return t.wrap(err)
	}
	return nil
}

// expire keeps only the newest snapshots, if there are twice as many.
func (t *lakeTable[H, T]) expire(ctx context.Context, keep int) error {
	if len(t.tbl.Metadata().Snapshots()) <= 2*keep {
		return nil
	}
	txn := t.tbl.NewTransaction()
	err := txn.ExpireSnapshots(table.WithRetainLast(keep), table.WithOlderThan(0))
	if err == nil {
		t.tbl, err = txn.Commit(ctx)
	}
	if err != nil {
		return t.wrap(err)
	}
	return nil
}

// property returns a property as set by the newest append.
func (t *lakeTable[H, T]) property(name string) string { return t.tbl.Properties()[name] }
