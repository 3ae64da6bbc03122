package serve_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestLargeBodyIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "acme").start()
	for _, size := range []int{16_385, 100_000, 1_000_000} {
		for name, body := range map[string]string{
			"length": fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, strings.Repeat("4", size)),
			"chunks": fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat("4", size)),
		} {
			for _, line := range []string{
				"POST /realtime/?EIO=4&transport=polling&sid=" + w.handshake(), "GET /api/v1/status", "POST /api/v1/status", "GET /nowhere",
			} {
				c := sendPart(t, w.url, line+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: text/plain\r\n"+body)
				said, err := io.ReadAll(c)
				if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 ") {
					t.Errorf("%s, %s of %d: %.40q, %v", line, name, size, said, err)
				}
			}
		}
	}
}
