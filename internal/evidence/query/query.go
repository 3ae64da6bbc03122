// Package query asks the tables of an account's publications by SQL, in a child of this program. The
// engine cannot stop every query, and does not count all memory of one: then the child ends.
package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"mkt/internal/terminal"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Command is the hidden command that an [Asker] starts. It [Receive]s a request from its standard input.
const Command = "query-tables"

// Limits of a query.
const (
	MaxLength    = 8 << 10 // of its text, in bytes
	Time         = time.Minute
	EngineMemory = 256 << 20 // of the engine, in bytes
	memory       = 768 << 20 // of the child
	stopTime     = 2 * time.Second
)

// Limits of a [Result].
const (
	MaxRows = 200
	MaxSize = 1 << 20 // of its texts, in bytes
	MaxCell = 500     // of one text, in columns of a terminal; of four bytes at most each
	MaxType = 40      // of the name of a type, which may list the fields of a structure
)

// Request is a query over the publications of an account.
type Request struct {
	Data   string // data root
	Tenant string
	At     string // a [snapshot.Moment] without words
	SQL    string // one SELECT
	IsCSV  bool   // the answer is all rows as mkt inspect --format csv prints them, else a [Result] as JSON
}

// New returns the request for a query as a person writes it. at is one of [snapshot.Forms], "" the newest.
func New(data, tenant, sql, at string, now time.Time) (Request, error) {
	r := Request{Data: data, Tenant: tenant, At: snapshot.Newest.String(), SQL: sql}
	if tenant == "" {
		return r, errors.New("nothing was published yet")
	}
	if len(sql) > MaxLength {
		return r, fmt.Errorf("the query is longer than %s", terminal.Size(MaxLength))
	}
	if at == "" {
		return r, nil
	}
	m, err := snapshot.ParseMoment(at, now)
	if err != nil {
		return r, err
	}
	r.At = m.String()
	return r, nil
}

// Command is the same query in the terminal, without the program.
func (r Request) Command() string {
	command := "inspect --tenant " + r.Tenant
	if r.At != snapshot.Newest.String() {
		command += " --at " + terminal.Quote(r.At)
	}
	return command + " --sql " + terminal.Quote(r.SQL)
}

// Examples are queries to begin with.
func (Request) Examples(p football.Product) []string {
	third := "SELECT home, score_home, score_away, away, clock_minute FROM live ORDER BY clock_minute DESC"
	if p == football.MarketEngine {
		third = "SELECT league, count(*) AS fixtures, sum(market_count) AS markets FROM fixtures GROUP BY ALL ORDER BY markets DESC"
	}
	return []string{"SHOW TABLES", "SELECT product, version, cycle_id, published_at, kept FROM commits ORDER BY published_at DESC", third}
}

// Result is the beginning of an answer.
type Result struct {
	Columns []Column
	Rows    [][]Cell
	More    bool   // there are further rows
	Notes   string `json:"-"` // which products have no publication then
}

// Column is a column with the engine's name of its type.
type Column struct{ Name, Type string }

// Cell is a value as mkt inspect prints it.
type Cell struct {
	Text string
	Null bool
}

// Errors of an [Asker], beside those of the query itself.
var (
	ErrBusy   = errors.New("another query is under way: try again in a moment")
	ErrTime   = fmt.Errorf("the query took longer than %s and was stopped: select fewer rows, or run it in the terminal", Time)
	ErrMemory = errors.New("the query needs more memory than it has here: select fewer rows or smaller columns, or run it in the terminal, where --memory gives it more")
	ErrCut    = errors.New("the answer was cut")
)

// Asker runs queries, one at a time. Its errors name no path of the machine. It is safe for concurrent use.
type Asker struct{ asking sync.Mutex }

// Table returns the beginning of the answer.
func (a *Asker) Table(ctx context.Context, r Request) (*Result, error) {
	var out bytes.Buffer
	notes, err := a.run(ctx, r, &out)
	if err != nil {
		return nil, err
	}
	answer := Result{Notes: notes}
	return &answer, json.Unmarshal(out.Bytes(), &answer)
}

// CSV writes the whole answer. The error is [ErrCut] if a part of it is written.
func (a *Asker) CSV(ctx context.Context, r Request, out io.Writer) error {
	r.IsCSV = true
	written := &counter{Writer: out}
	_, err := a.run(ctx, r, written)
	if err != nil && written.begun {
		return fmt.Errorf("%w: %w", ErrCut, err)
	}
	return err
}

type counter struct {
	io.Writer
	begun bool
}

func (c *counter) Write(p []byte) (int, error) {
	c.begun = true
	return c.Writer.Write(p)
}

func (a *Asker) run(ctx context.Context, r Request, out io.Writer) (notes string, err error) {
	if !a.asking.TryLock() {
		return "", ErrBusy
	}
	defer a.asking.Unlock()
	ctx, cancel := context.WithTimeout(ctx, Time)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return "", errors.New("the program does not find itself")
	}
	if r.Data, err = filepath.Abs(r.Data); err != nil {
		return "", errors.New("the data root was not found")
	}
	asked, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, self, Command)
	cmd.Env, cmd.WaitDelay = []string{"TMPDIR=" + os.TempDir(), "HOME=/"}, stopTime
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(asked), out, &said
	err = cmd.Run()
	text, isMessage := strings.CutPrefix(strings.TrimSpace(said.String()), "mkt: ")
	text = strings.NewReplacer(r.Data+string(filepath.Separator), "", r.Data, "the data root", "\nmkt: ", "\n").Replace(text)
	var ended *exec.ExitError
	switch {
	case err == nil:
		return text, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", ErrTime
	case ctx.Err() != nil:
		return "", ctx.Err()
	case !errors.As(err, &ended):
		return "", errors.New("the query could not be run")
	case isMessage && ended.Exited() && !strings.Contains(text, "\ngoroutine "):
		return "", errors.New(text)
	}
	return "", ErrMemory
}

// Receive reads a request in the child, and bounds the memory of this process, and its processor time, in
// which it ends if the [Asker] was killed.
func Receive(in io.Reader) (r Request, err error) {
	for limit, most := range map[int]uint64{syscall.RLIMIT_DATA: memory, syscall.RLIMIT_CPU: uint64(2 * Time / time.Second)} {
		if err := syscall.Setrlimit(limit, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return r, fmt.Errorf("memory and time of a query cannot be bounded: %w", err)
		}
	}
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		return r, fmt.Errorf("the request of a query: %w", err)
	}
	return r, nil
}
