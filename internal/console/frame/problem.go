package frame

import (
	"fmt"
	"net/http"
)

// Problem is an error with a text for the reader.
type Problem struct {
	Status int
	Title  string
	What   string
}

func (p *Problem) Error() string { return p.What }

// NotFound returns an error for something that does not exist.
func NotFound(format string, args ...any) error {
	return &Problem{http.StatusNotFound, "Not found", fmt.Sprintf(format, args...)}
}

// BadRequest returns an error for an address with a bad value.
func BadRequest(format string, args ...any) error {
	return &Problem{http.StatusBadRequest, "Not a valid address", fmt.Sprintf(format, args...)}
}
