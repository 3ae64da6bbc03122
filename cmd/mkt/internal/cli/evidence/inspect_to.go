package evidence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/spreadsheet"
	"mkt/internal/scratch"
	"mkt/publish/durable"
	"mkt/serve/offline"
)

// writtenFile is the result of --to as JSON.
type writtenFile struct {
	File    string `json:"file"`
	Rows    int64  `json:"rows"`
	Columns int    `json:"columns"`
	Bytes   int64  `json:"bytes"`
}

func errNoFormat(name string) error {
	return cli.Usagef("--to %q: want a file name that ends with .parquet, .csv, .xlsx or .json", name)
}

func formatOf(name string) string { return strings.ToLower(filepath.Ext(name)) }

// checkTo checks the name of the file before the query runs, which may take minutes.
func (g *Group) checkTo(f inspectFlags) error {
	switch formatOf(f.to) {
	case ".parquet", ".csv", ".xlsx", ".json":
	default:
		return errNoFormat(f.to)
	}
	inside, err := cli.IsInside(filepath.Dir(f.to), g.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("--to %s: there is no folder %s", f.to, filepath.Dir(f.to))
	}
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	if inside {
		return cli.Usagef("--to %s: that is inside the data root; name a file outside of it", f.to)
	}
	info, err := os.Lstat(f.to)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("--to: %w", err)
	case !info.Mode().IsRegular():
		return cli.Usagef("--to %s: it exists and is not a file", f.to)
	case !f.force:
		return errExists(f.to)
	}
	return nil
}

func errExists(name string) error {
	return cli.Usagef("--to %s: the file exists; --force replaces it", name)
}

// inspectTo writes the result of a query to a file. It is complete in a temporary folder
// before the file is created.
func (g *Group) inspectTo(ctx context.Context, f inspectFlags, o offline.Options, query string) (err error) {
	temp, err := scratch.Make("", "mkt-to-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	exit := o.Abort
	o.Abort = func(err error) {
		temp.Remove() // if it fails, the next run removes it
		exit(err)
	}
	o.Threads = 1 // the order of rows without ORDER BY is the same in each run
	w := writtenFile{File: f.to}
	made := filepath.Join(temp.Dir, "answer")
	if w.Columns, w.Rows, err = makeFile(ctx, o, query, formatOf(f.to), made); err != nil {
		if errors.Is(err, offline.ErrSQL) {
			return cli.AsUsage(err)
		}
		return err
	}
	if w.Bytes, err = saveFile(ctx, made, f.to, f.force); err != nil {
		return err
	}
	return g.AnswerLine(w, "%s: %s, %s, %s\n", w.File, cli.Plural(int(w.Rows), "row"), cli.Plural(w.Columns, "column"), cli.Size(w.Bytes))
}

// makeFile runs a query and writes its result to a new file.
func makeFile(ctx context.Context, o offline.Options, query, format, file string) (columns int, rows int64, err error) {
	if format == ".parquet" {
		names, rows, err := offline.Parquet(ctx, o, query, file)
		return len(names), rows, err
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	var to answerer
	switch format {
	case ".xlsx":
		if to, err = newSheetAnswer(filepath.Dir(file), out); err != nil {
			return 0, 0, err
		}
	case ".csv":
		to = &csvAnswer{bufio.NewWriter(out)}
	default:
		to = &jsonAnswer{out: bufio.NewWriter(out)}
	}
	counted := &countingAnswer{Answer: to}
	err = offline.Query(ctx, o, query, counted)
	if err == nil {
		err = to.end()
	}
	if closer, is := to.(io.Closer); is {
		err = errors.Join(err, closer.Close())
	}
	return counted.columns, counted.rows, err
}

// sheetAnswer is a spreadsheet.
type sheetAnswer struct {
	*spreadsheet.Writer
	out io.Writer
}

func newSheetAnswer(tempDir string, out io.Writer) (sheetAnswer, error) {
	w, err := spreadsheet.New(tempDir)
	return sheetAnswer{w, out}, err
}

func (s sheetAnswer) end() error { return s.Finish(s.out) }

// countingAnswer counts the columns and rows of an answer.
type countingAnswer struct {
	offline.Answer
	columns int
	rows    int64
}

func (c *countingAnswer) Columns(names []string) error {
	c.columns = len(names)
	return c.Answer.Columns(names)
}

func (c *countingAnswer) Row(values []any) error {
	c.rows++
	return c.Answer.Row(values)
}

// saveFile copies a file to the name given by a person.
func saveFile(ctx context.Context, from, name string, replace bool) (size int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	dir, err := durable.OpenExisting(filepath.Dir(name))
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	err = durable.Save(dir, filepath.Base(name), replace, func(w io.Writer) error {
		size, err = io.Copy(durable.Until(ctx, w), in)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return 0, errExists(name)
	}
	return size, err
}
