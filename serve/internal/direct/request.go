package direct

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// maxFields is the maximum number of header fields of a plain request.
const maxFields = 32

// request is an http.Request whose memory is used again.
type request struct {
	http   http.Request
	url    url.URL
	header http.Header
	values [maxFields]string
	close  bool // the client asks for the connection to be closed
}

const (
	method  = "GET "
	version = " HTTP/1.1"
	newline = "\r\n"
)

// byteSet is a set of bytes.
type byteSet [256]bool

func setOf(ranges ...string) (s byteSet) {
	for _, r := range ranges {
		for c := int(r[0]); c <= int(r[len(r)-1]); c++ {
			s[c] = true
		}
	}
	return s
}

var (
	inPath  = setOf("az", "AZ", "09", "-", ".", "_", "~", "/", ":") // which url.URL neither decodes nor encodes
	inQuery = setOf("!\"", "$~")                                    // everything printable but #
	inHost  = setOf("az", "AZ", "09", "-", ".", "_", ":", "[", "]")
	inName  = setOf("az", "AZ", "09", "-", "_")
	inValue = setOf(" ~", "\t")
)

func (s *byteSet) containsAll(text string) bool {
	for i := range len(text) {
		if !s[text[i]] {
			return false
		}
	}
	return true
}

// read reads b. whole reports that b is exactly one request without a body, and plain that q is
// that request. q keeps a copy of b.
func (q *request) read(b []byte) (whole, plain bool) {
	if !bytes.HasPrefix(b, []byte(method+"/")) || !bytes.HasSuffix(b, []byte(newline+newline)) {
		return false, false
	}
	line, rest, _ := strings.Cut(string(b), newline)
	target, ok := strings.CutSuffix(line[len(method):], version)
	if !ok {
		return false, false
	}
	plain = q.readTarget(target)
	host, n := "", 0
	for rest != newline {
		field := ""
		field, rest, _ = strings.Cut(rest, newline)
		name, value, ok := strings.Cut(field, ":")
		value = strings.Trim(value, " \t")
		if !ok || name == "" || !inName.containsAll(name) || !inValue.containsAll(value) || n == maxFields {
			return false, false // includes an empty line, after which there is more
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch name {
		case "Content-Length", "Transfer-Encoding", "Expect", "Upgrade":
			return false, false
		case "Host":
			plain = plain && host == "" && inHost.containsAll(value)
			host = value
			continue
		case "Connection":
			q.close = strings.EqualFold(value, "close")
			plain = plain && (q.close || strings.EqualFold(value, "keep-alive"))
		case "Pragma", "Te", "Trailer": // net/http changes or interprets them
			plain = false
		}
		if _, twice := q.header[name]; twice {
			plain = false
		}
		q.values[n] = value
		q.header[name] = q.values[n : n+1 : n+1]
		n++
	}
	q.http = http.Request{Method: http.MethodGet, URL: &q.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: q.header,
		Body: http.NoBody, Close: q.close, Host: host, RequestURI: target}
	return true, plain && host != ""
}

// readTarget reads the path and the query, and reports whether they are plain.
func (q *request) readTarget(target string) bool {
	path, query, hasQuery := strings.Cut(target, "?")
	q.url = url.URL{Path: path, RawQuery: query}
	return inPath.containsAll(path) && inQuery.containsAll(query) && hasQuery == (query != "")
}

// reset prepares q for another request.
func (q *request) reset() {
	clear(q.header)
	*q = request{header: q.header}
}
