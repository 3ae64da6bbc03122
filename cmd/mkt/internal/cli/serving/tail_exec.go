package serving

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/tail"
	"mkt/internal/terminal"
	"mkt/publish/durable"
)

// consumer hands batches of events to a program and keeps the position after the last accepted
// batch.
type consumer struct {
	*Group
	command string
	once    bool // a rejected batch is an error, and is not delivered again

	folder *durable.Disk
	lock   io.Closer
	file   string // of the position, in the folder
	path   string // as it was given
	cursor string // read from the file
}

// maxPosition bounds the file of the position. A cursor has less than a hundred bytes.
const maxPosition = 4 << 10

// openConsumer reads the position and locks it: two runs must not share one.
func (g *Group) openConsumer(f tailFlags) (*consumer, error) {
	c := &consumer{Group: g, command: f.exec, once: f.once, path: f.position, file: filepath.Base(f.position)}
	var err error
	if c.folder, err = durable.OpenExisting(filepath.Dir(f.position)); err != nil {
		return nil, terminal.Usagef("--position %s: its folder cannot be opened: %w", f.position, err)
	}
	if c.lock, err = c.folder.Lock(c.file + ".lock"); err != nil {
		if errors.Is(err, durable.ErrLocked) {
			err = fmt.Errorf("another mkt tail uses it: %w", durable.ErrLocked)
		}
		return nil, errors.Join(fmt.Errorf("--position %s: %w", f.position, err), c.folder.Close())
	}
	text, err := durable.ReadFile(c.folder, c.file, maxPosition)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, errors.Join(fmt.Errorf("--position %s: %w", f.position, err), c.close())
	default:
		if c.cursor = strings.TrimSpace(string(text)); c.cursor == "" || strings.ContainsAny(c.cursor, " \t\r\n") {
			return nil, errors.Join(terminal.Usagef("--position %s: it holds no position: remove it to begin with all fixtures", f.position), c.close())
		}
	}
	return c, nil
}

func (c *consumer) close() error { return errors.Join(c.lock.Close(), c.folder.Close()) }

// The wait before a batch is delivered again.
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// deliver runs the program until it accepts the batch, and then writes the position.
func (c *consumer) deliver(ctx context.Context, batch []tail.News, cursor string) error {
	var lines bytes.Buffer
	for _, n := range batch {
		line, err := cli.JSONLine(c.newsLine(n))
		if err != nil {
			return err
		}
		lines.Write(line)
	}
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := c.run(lines.Bytes())
		if err == nil {
			break
		}
		if c.once {
			return fmt.Errorf("--exec: %w: the position stays, and the next run delivers this batch again", err)
		}
		fmt.Fprintf(c.Errs, "%s --exec: %v: the batch is delivered again in %v\n", terminal.ClockTime(c.Now()), err, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := durable.Overwrite(c.folder, c.file, []byte(cursor+"\n")); err != nil {
		return fmt.Errorf("--position %s: %w: the next run delivers the last batch again", c.path, err)
	}
	return nil
}

// run runs the program once, without the token, which it does not need. It is not stopped when mkt is asked to stop: the batch under way
// is finished.
func (c *consumer) run(lines []byte) error {
	cmd := exec.Command("/bin/sh", "-c", c.command)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, tokenVariable+"=") })
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(lines), c.DataOut(), c.Errs
	return cmd.Run()
}
