package response

import (
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"mkt/internal/testing/check"
)

var must = check.Must

// A connection that a websocket takes over keeps its abilities: bytes are written without
// waiting, and one direction can be closed alone.
func TestConnectionKeepsItsAbilities(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	must(t, err)
	defer client.Close()
	client.SetDeadline(time.Now().Add(10 * time.Second))
	conn, err := Listener{l}.Accept()
	must(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))

	owner, ok := conn.(syscall.Conn)
	if !ok {
		t.Fatal("every write to a websocket waits for the client, in a goroutine of its own")
	}
	raw, err := owner.SyscallConn()
	must(t, err)
	var written int
	if err := raw.Write(func(fd uintptr) bool { written, err = syscall.Write(int(fd), []byte("frame")); return true }); err != nil || written != 5 {
		t.Fatalf("%d bytes written, %v", written, err)
	}
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		t.Fatal("one half cannot be closed")
	}
	if got, err := io.ReadAll(client); string(got) != "frame" || err != nil {
		t.Errorf("the client read %q, %v", got, err)
	}
	if _, err := client.Write([]byte("answer")); err != nil {
		t.Error(err)
	}
	answer := make([]byte, 6)
	if _, err := io.ReadFull(conn, answer); string(answer) != "answer" || err != nil {
		t.Errorf("read %q, %v", answer, err)
	}
}
