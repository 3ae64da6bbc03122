// Package page writes HTML pages that hold all they need: no script, no font, no
// picture and no style from elsewhere, so that one can be mailed, archived and
// opened without a network. Pages follow the reader's light or dark setting and
// print in black on white.
package page

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mkt/cmd/mkt/internal/plain"
)

//go:embed frame.html
var frame string

//go:embed style.css
var style string

// Template parses the body of a page, which is written into the frame that all
// share. It panics when it does not parse: that is a mistake in the program.
// Functions may be nil.
func Template(body string, functions template.FuncMap) *template.Template {
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
		"utc":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	}).Funcs(functions).Parse(frame))
	return template.Must(t.New("body").Parse(body))
}

// Content is what a page shows: its title, what its own template needs, and what
// its foot says.
type Content struct {
	Title   string
	Body    any
	MadeBy  string // "mkt 1.2.3"
	MadeAt  time.Time
	Command string // what was asked for
}

// Write writes a page. What its texts hold that a reader could not see, such as
// marks that turn the direction of reading around, is shown as escapes.
func Write(w io.Writer, t *template.Template, c Content) error {
	shown := plain.NewWriter(w)
	out := bufio.NewWriter(shown)
	if err := t.ExecuteTemplate(out, "page", c); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return errors.Join(out.Flush(), shown.Flush())
}

// WriteFile writes a file whole, in place of one of that name: whoever has the
// old one open keeps it, and after an error it is as it was. What is no ordinary
// file, such as a pipe, is written to as it is, and for the name - the page goes to
// stdout. It returns how many bytes the file has.
func WriteFile(name string, stdout io.Writer, write func(io.Writer) error) (size int64, err error) {
	if name == "-" {
		return 0, write(stdout)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return 0, fmt.Errorf("%s: is a folder; give the name of a file", name)
	case err == nil && !info.Mode().IsRegular():
		return writeTo(os.OpenFile(name, os.O_WRONLY, 0))(write)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", name, nameless(err))
	}
	if err = temp.Chmod(0o644); err != nil {
		err = errors.Join(err, temp.Close())
	} else if size, err = writeTo(temp, nil)(write); err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
		return 0, fmt.Errorf("write %s: %w", name, nameless(err))
	}
	return size, nil
}

// nameless leaves out the name of the temporary file.
func nameless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// writeTo writes all to a file and closes it.
func writeTo(file *os.File, err error) func(func(io.Writer) error) (int64, error) {
	return func(write func(io.Writer) error) (int64, error) {
		if err != nil {
			return 0, err
		}
		counted := &counter{w: file}
		err := write(counted)
		return counted.n, errors.Join(err, file.Close())
	}
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
