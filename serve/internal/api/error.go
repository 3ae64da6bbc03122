package api

import (
	"errors"
	"fmt"
	"time"
)

// Error is a refusal: the code and message for the client, and the cause for the log.
// The cause is never sent to the client.
type Error struct {
	Code       Code
	Message    string        // must not contain text from others; "" = the message of the code
	RetryAfter time.Duration // sent in whole seconds; 0 = not sent
	Cause      error         // for the log only; may be nil
}

// Refuse returns a refusal with the code and its message.
func Refuse(code Code) *Error { return &Error{Code: code} }

// Refusef returns a refusal with a more specific message. The message must not contain
// anything from a client or from another package.
func Refusef(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because returns a refusal with the code, its message and a cause.
func Because(code Code, cause error) *Error { return &Error{Code: code, Cause: cause} }

// Error implements error. Its text is for the log.
func (e *Error) Error() string {
	if e.Cause != nil {
		return string(e.Code) + ": " + e.Cause.Error()
	}
	return string(e.Code)
}

func (e *Error) Unwrap() error { return e.Cause }

// AsError returns the refusal in err. Any other error becomes an INTERNAL_ERROR.
func AsError(err error) *Error {
	var refusal *Error
	if errors.As(err, &refusal) {
		return refusal
	}
	return Because(InternalError, err)
}

// Seconds returns RetryAfter in whole seconds.
func (e *Error) Seconds() int64 { return WholeSeconds(e.RetryAfter) }

// WholeSeconds rounds a duration up to seconds, as headers need it.
func WholeSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// Text returns the message for the client.
func (e *Error) Text() string {
	if e.Message == "" {
		return e.Code.message()
	}
	return e.Message
}

// AppendError appends the body of a refusal.
func AppendError(dst []byte, e *Error, requestID string) []byte {
	dst = append(dst, `{"error":{`...)
	dst = addRefusal(dst, e, requestID)
	return append(dst, `}}`...)
}

// AppendRefusal appends only the inner object of a refusal, which is the data of a
// socket's connect_error. retry_after is the value of the header over HTTP, in seconds; it
// is absent if there is none.
func AppendRefusal(dst []byte, e *Error, requestID string) []byte {
	dst = append(dst, `{`...)
	dst = addRefusal(dst, e, requestID)
	if e.RetryAfter > 0 {
		dst = addInt(dst, `,"retry_after":`, e.Seconds())
	}
	return append(dst, '}')
}

// addRefusal adds the members of a refusal. An empty request id is null.
func addRefusal(dst []byte, e *Error, requestID string) []byte {
	dst = addText(dst, `"code":`, string(e.Code))
	dst = addText(dst, `,"message":`, e.Text())
	return addNonEmpty(dst, `,"request_id":`, requestID)
}
