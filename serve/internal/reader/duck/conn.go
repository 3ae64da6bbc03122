package duck

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Instance is an instance of DuckDB that is used without database/sql, for queries of some
// hundred microseconds: database/sql and its driver start two goroutines for each query and
// ask for the names and types of its columns, which takes almost as long as a look-up.
type Instance struct{ db mapping.Database }

// Conn is a connection to an Instance, with its prepared statements. It is not safe for
// concurrent use.
type Conn struct {
	conn       mapping.Connection
	statements map[string]mapping.PreparedStatement
}

// Error is an error of the engine.
type Error struct {
	message string
	// Fatal reports that the instance cannot be used any more.
	Fatal bool
}

// Error implements error.
func (e *Error) Error() string { return e.message }

// Open starts an instance and applies the bounds. The caller must close it after its
// connections, and should lock the configuration.
func Open(b Bounds) (i *Instance, err error) {
	var config mapping.Config
	defer mapping.DestroyConfig(&config)
	if mapping.CreateConfig(&config) == mapping.StateError {
		return nil, errors.New("start the engine: its configuration cannot be allocated")
	}
	i = new(Instance)
	var message string
	if mapping.OpenExt("", &i.db, config, &message) == mapping.StateError {
		i.Close()
		return nil, fmt.Errorf("start the engine: %s", message)
	}
	c, err := i.Connect()
	if err == nil {
		err = c.Exec(b.settings()...)
		c.Close()
	}
	if err != nil {
		i.Close()
		return nil, err
	}
	return i, nil
}

// Close ends the instance.
func (i *Instance) Close() { mapping.Close(&i.db) }

// Connect returns a new connection, which the caller must close.
func (i *Instance) Connect() (*Conn, error) {
	c := &Conn{statements: map[string]mapping.PreparedStatement{}}
	if mapping.Connect(i.db, &c.conn) == mapping.StateError {
		return nil, errors.New("connect to the engine: it refused")
	}
	return c, nil
}

// Close closes the connection and its statements.
func (c *Conn) Close() {
	for _, s := range c.statements {
		mapping.DestroyPrepare(&s)
	}
	mapping.Disconnect(&c.conn)
}

// Exec runs statements that have no parameters and whose results are not needed.
func (c *Conn) Exec(statements ...string) error {
	for _, s := range statements {
		var r mapping.Result
		state := mapping.Query(c.conn, s, &r)
		err := errorOf(state, &r)
		mapping.DestroyResult(&r)
		if err != nil {
			return fmt.Errorf("%.40s: %w", s, err)
		}
	}
	return nil
}

func errorOf(s mapping.State, r *mapping.Result) error {
	if s != mapping.StateError {
		return nil
	}
	return newError(mapping.ResultError(r))
}

// newError returns an error with a message of the engine, which begins with its kind.
func newError(message string) *Error {
	kind, _, _ := strings.Cut(message, ":")
	return &Error{message, kind == "FATAL Error" || kind == "INTERNAL Error"}
}

// Query runs a statement, which is prepared when it is used for the first time, and calls
// each with the rows of its result. Arguments are of type int64, string or bool. A query
// cannot be interrupted.
func (c *Conn) Query(text string, args []any, each func(Row) error) error {
	s, err := c.prepared(text)
	if err != nil {
		return err
	}
	for n, arg := range args {
		if !bind(s, mapping.IdxT(n+1), arg) {
			return fmt.Errorf("argument %d of %.40q cannot be bound: %T", n+1, text, arg)
		}
	}
	var r mapping.Result
	defer mapping.DestroyResult(&r)
	if err := errorOf(mapping.ExecutePrepared(s, &r), &r); err != nil {
		return err
	}
	for {
		chunk := mapping.FetchChunk(r)
		if chunk.Ptr == nil {
			return nil
		}
		err := rows(chunk, each)
		mapping.DestroyDataChunk(&chunk)
		if err != nil {
			return err
		}
	}
}

func (c *Conn) prepared(text string) (s mapping.PreparedStatement, err error) {
	s, ok := c.statements[text]
	if ok {
		return s, nil
	}
	if mapping.Prepare(c.conn, text, &s) == mapping.StateError {
		err := newError(mapping.PrepareError(s))
		mapping.DestroyPrepare(&s)
		return s, err
	}
	c.statements[text] = s
	return s, nil
}

func bind(s mapping.PreparedStatement, n mapping.IdxT, arg any) bool {
	state := mapping.State(mapping.StateError)
	switch v := arg.(type) {
	case int64:
		state = mapping.BindInt64(s, n, v)
	case string:
		state = mapping.BindVarcharLength(s, n, v, mapping.IdxT(len(v)))
	case bool:
		state = mapping.BindBoolean(s, n, v)
	}
	return state != mapping.StateError
}

const maxColumns = 4

// Row is a row of a result. It is valid only until the function that it was passed to
// returns. The caller must know the types of the columns, and that they are not NULL.
type Row struct {
	columns *[maxColumns]unsafe.Pointer // the values of each
	n       int
}

func rows(chunk mapping.DataChunk, each func(Row) error) error {
	var columns [maxColumns]unsafe.Pointer
	for i := range min(maxColumns, int(mapping.DataChunkGetColumnCount(chunk))) {
		columns[i] = mapping.VectorGetData(mapping.DataChunkGetVector(chunk, mapping.IdxT(i)))
	}
	for n := range int(mapping.DataChunkGetSize(chunk)) {
		if err := each(Row{&columns, n}); err != nil {
			return err
		}
	}
	return nil
}

// Int32 returns the value of an INTEGER column.
func (r Row) Int32(column int) int32 { return *(*int32)(r.at(column, 4)) }

// Int64 returns the value of a BIGINT column.
func (r Row) Int64(column int) int64 { return *(*int64)(r.at(column, 8)) }

// Bytes returns the value of a BLOB or VARCHAR column. It is memory of the engine, so that it is
// valid only as long as the row, and must not be modified.
func (r Row) Bytes(column int) []byte {
	// duckdb_string_t: the length in 4 bytes, then up to 12 bytes of text. A longer text is elsewhere: its
	// first 4 bytes are followed by a pointer to all of it.
	const inline = 12
	value := r.at(column, 16)
	length := *(*uint32)(value)
	text := unsafe.Add(value, 4)
	if length > inline {
		text = *(*unsafe.Pointer)(unsafe.Add(value, 8))
	}
	return unsafe.Slice((*byte)(text), length)
}

func (r Row) at(column, size int) unsafe.Pointer { return unsafe.Add(r.columns[column], size*r.n) }
