package page_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/internal/evidence/page"
	"mkt/internal/testing/check"
)

func TestWrite(t *testing.T) {
	var b strings.Builder
	body := page.Template(`<h1>{{.}}</h1>`, nil)
	err := page.Write(&b, body(), page.Content{Title: `A & <B>`, Body: `<script>alert("x")</script>`, MadeBy: "mkt", MadeAt: time.Unix(0, 0), Command: "mkt <x>"})
	check.Must(t, err)
	for _, want := range []string{"<!DOCTYPE html>", "<title>A &amp; &lt;B&gt;</title>", "&lt;script&gt;", "1970-01-01 00:00:00 UTC", "mkt &lt;x&gt;", "prefers-color-scheme: dark", "@media print"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	dec := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "page.html")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	for _, s := range []string{"old", "new one"} {
		if size, err := page.WriteFile(name, nil, text(s)); err != nil || size != int64(len(s)) {
			t.Fatal(size, err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != s {
			t.Errorf("%q, %v", got, err)
		}
	}
	torn := errors.New("torn")
	_, err := page.WriteFile(name, nil, func(w io.Writer) error { _, err := io.WriteString(w, "half"); return errors.Join(err, torn) })
	if got, _ := os.ReadFile(name); !errors.Is(err, torn) || string(got) != "new one" {
		t.Errorf("after a failure %q, %v", got, err)
	}
	if _, err := page.WriteFile(dir, nil, text("x")); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	if _, err := page.WriteFile(filepath.Join(dir, "no", "page.html"), nil, text("x")); err == nil || strings.Contains(err.Error(), "*") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind %v", left)
	}
}

func TestWriteFileToAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	check.Must(t, syscall.Mkfifo(name, 0o600))
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(name)
		got <- string(data)
	}()
	if _, err := page.WriteFile(name, nil, func(w io.Writer) error { _, err := io.WriteString(w, "through"); return err }); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through" {
		t.Errorf("%q", s)
	}
}
