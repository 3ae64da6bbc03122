package console

import (
	"fmt"
	"net/http"
)

// problem is an error with a text for the reader.
type problem struct {
	status int
	title  string
	what   string
}

func (p *problem) Error() string { return p.what }

// notFound returns an error for something that does not exist.
func notFound(format string, args ...any) error {
	return &problem{http.StatusNotFound, "Not found", fmt.Sprintf(format, args...)}
}

// badRequest returns an error for an address with a bad value.
func badRequest(format string, args ...any) error {
	return &problem{http.StatusBadRequest, "Not a valid address", fmt.Sprintf(format, args...)}
}
