// Package page writes self-contained HTML pages: no script, font, picture or style is loaded
// from elsewhere, so a page can be mailed, archived and opened offline. Pages follow the
// reader's light or dark setting and print in black on white.
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
	"sync"
	"time"

	"mkt/internal/terminal/printable"
)

//go:embed frame.html
var frame string

// Style is the style sheet of the pages.
//
//go:embed style.css
var Style string

// Template returns a function that parses the body of a page, inside the common frame. It does so
// at its first call, because otherwise every start of mkt would pay for it. It panics if the body
// does not parse, which is a programming error. functions may be nil.
func Template(body string, functions template.FuncMap) func() *template.Template {
	return sync.OnceValue(func() *template.Template { return parse(body, functions) })
}

func parse(body string, functions template.FuncMap) *template.Template {
	t := template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(Style) },
		"utc":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	}).Funcs(functions).Parse(frame))
	return template.Must(t.New("body").Parse(body))
}

// Content is the content of a page: its title, the values for its template, and its footer.
type Content struct {
	Title   string
	Body    any
	MadeBy  string // "mkt 1.2.3"
	MadeAt  time.Time
	Command string // the command line behind the page
}

// Write writes a page. Invisible characters in its texts, such as marks for the
// direction of reading, are shown as escapes.
func Write(w io.Writer, t *template.Template, c Content) error {
	shown := printable.NewWriter(w)
	out := bufio.NewWriter(shown)
	if err := t.ExecuteTemplate(out, "page", c); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return errors.Join(out.Flush(), shown.Flush())
}

// WriteFile writes a file as a whole and replaces an existing one: readers of the old file keep
// it, and after an error it is unchanged. A file that is not regular, such as a pipe, is written
// to directly, and the name "-" means stdout. It returns the number of bytes written.
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

// nameless removes the name of the temporary file from an error.
func nameless(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

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
