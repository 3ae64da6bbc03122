package api

import (
	"errors"
	"fmt"
	"time"
)

// Error is a refusal: what the client is told, and the cause for the log. The
// cause never reaches the client.
type Error struct {
	Code       Code
	Message    string        // our own fixed words; "" takes the code's
	RetryAfter time.Duration // told in whole seconds; 0 says nothing
	Cause      error         // for the log only; may be nil
}

// Refuse is the refusal of that code in the code's own words.
func Refuse(code Code) *Error { return &Error{Code: code} }

// Refusef is a refusal with a message that says more. Never put into it what a
// client sent or what another package returned.
func Refusef(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because is a refusal of that code with its cause.
func Because(code Code, cause error) *Error { return &Error{Code: code, Cause: cause} }

// Error is for the log.
func (e *Error) Error() string {
	if e.Cause != nil {
		return string(e.Code) + ": " + e.Cause.Error()
	}
	return string(e.Code)
}

func (e *Error) Unwrap() error { return e.Cause }

// AsError finds the refusal in err; any other error is an INTERNAL_ERROR.
func AsError(err error) *Error {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal
	}
	return Because(InternalError, err)
}

// Seconds is RetryAfter in the whole seconds that a client is told.
func (e *Error) Seconds() int64 { return WholeSeconds(e.RetryAfter) }

// WholeSeconds rounds a duration up, as headers want it.
func WholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// Text is what a client is told beside the code.
func (e *Error) Text() string {
	if e.Message == "" {
		return e.Code.message()
	}
	return e.Message
}

// AppendError appends the body of a refusal.
func AppendError(dst []byte, e *Error, requestID string) []byte {
	dst = append(dst, `{"error":`...)
	return append(AppendRefusal(dst, e, requestID), '}')
}

// AppendRefusal appends the inner object of a refusal, which is also the data of
// a socket's connect_error. An empty request id is null.
func AppendRefusal(dst []byte, e *Error, requestID string) []byte {
	dst = append(dst, `{"code":"`...)
	dst = append(dst, e.Code...)
	dst = append(dst, `","message":`...)
	dst = appendString(dst, e.Text())
	dst = append(dst, `,"request_id":`...)
	if requestID == "" {
		dst = append(dst, "null"...)
	} else {
		dst = appendString(dst, requestID)
	}
	return append(dst, '}')
}
