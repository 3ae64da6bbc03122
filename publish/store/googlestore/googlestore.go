// Package googlestore is the driver for Google Cloud Storage: gs://bucket. It speaks the JSON
// API, because the library for it links gRPC, and Google's S3 interface ignores If-None-Match.
//
// Source: Cloud Storage JSON API v1, with its pages on preconditions, resumable uploads,
// hashes and retries.
package googlestore

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"mkt/publish/store"
)

func init() { store.Register("gs", Open) }

// EmulatorVariable is the environment variable with the address of another server, as for
// Google's own libraries. The server is asked without a credential.
const EmulatorVariable = "STORAGE_EMULATOR_HOST"

const tokenTimeout = 30 * time.Second

const scope = "https://www.googleapis.com/auth/devstorage.read_write"

// Open opens a bucket. It is a [store.Driver]. The one parameter is anonymous.
func Open(ctx context.Context, address *url.URL) (store.Bucket, error) {
	anonymous, emulator := false, os.Getenv(EmulatorVariable)
	for name, values := range address.Query() {
		var err error
		switch name {
		case "anonymous":
			if anonymous, err = strconv.ParseBool(values[0]); err != nil {
				return nil, errors.New("the parameter anonymous wants true or false")
			}
		default:
			return nil, fmt.Errorf("unknown parameter %q", name)
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // the checksum is that of the stored bytes
	b := &bucket{name: address.Host, host: "https://storage.googleapis.com", client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	b.anonymous = anonymous || emulator != ""
	switch {
	case emulator != "":
		if b.host = strings.TrimSuffix(emulator, "/"); !strings.Contains(b.host, "://") {
			b.host = "http://" + b.host
		}
	case !anonymous:
		// Tokens are renewed long after ctx has ended, and without the time limit of a request.
		ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, &http.Client{Timeout: tokenTimeout})
		found, err := google.FindDefaultCredentials(ctx, scope)
		if err != nil {
			return nil, errors.New("no credential was found: set GOOGLE_APPLICATION_CREDENTIALS, or run where the machine has one")
		}
		b.client.Transport = &oauth2.Transport{Base: transport, Source: tokens{found.TokenSource}}
	}
	return b, nil
}

// tokens marks an error of the credential's source as one.
type tokens struct{ oauth2.TokenSource }

func (t tokens) Token() (*oauth2.Token, error) {
	token, err := t.TokenSource.Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < 500 {
		err = &store.Error{Kind: store.Denied, Status: refused.Response.StatusCode}
	}
	return token, err
}

type bucket struct {
	name, host string
	client     *http.Client
	anonymous  bool // requests have no token
}

// resource is the API's description of an object.
type resource struct {
	Name       string    `json:"name,omitempty"`
	Size       string    `json:"size,omitempty"`
	Updated    time.Time `json:"updated,omitzero"`
	CRC32C     string    `json:"crc32c,omitempty"`
	Generation string    `json:"generation,omitempty"`
}

func (r *resource) attributes() store.Attributes {
	size, _ := strconv.ParseInt(r.Size, 10, 64)
	return store.Attributes{Size: size, Stored: r.Updated}
}

func (b *bucket) object(key string) string {
	return b.host + "/storage/v1/b/" + url.PathEscape(b.name) + "/o/" + url.PathEscape(key)
}

func (b *bucket) Read(ctx context.Context, key string) (io.ReadCloser, store.Attributes, error) {
	answer, err := b.ask(ctx, request{address: b.object(key) + "?alt=media"})
	if err != nil {
		return nil, store.Attributes{}, err
	}
	body := answer.Body
	for _, hashes := range answer.Header.Values("X-Goog-Hash") {
		for one := range strings.SplitSeq(hashes, ",") {
			if text, ok := strings.CutPrefix(strings.TrimSpace(one), "crc32c="); ok {
				if want, err := base64.StdEncoding.DecodeString(text); err == nil {
					body = store.Checked(body, crc32.New(castagnoli), want)
				}
			}
		}
	}
	at, _ := http.ParseTime(answer.Header.Get("Last-Modified"))
	if answer.ContentLength < 0 {
		body.Close()
		return nil, store.Attributes{}, &store.Error{Kind: store.Away, Status: answer.StatusCode}
	}
	return body, store.Attributes{Size: answer.ContentLength, Stored: at}, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (b *bucket) Look(ctx context.Context, key string) (store.Attributes, error) {
	var r resource
	err := b.askJSON(ctx, request{address: b.object(key)}, &r)
	return r.attributes(), err
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	return b.askJSON(ctx, request{method: http.MethodDelete, address: b.object(key)}, nil)
}

func (b *bucket) List(ctx context.Context, from store.Listing) (store.Page, error) {
	q := url.Values{"prefix": {from.Prefix}, "maxResults": {"1000"}, "fields": {"nextPageToken,prefixes,items(name,size,updated)"}}
	for name, value := range map[string]string{"delimiter": from.Delimiter, "startOffset": from.After, "pageToken": from.Token} {
		if value != "" {
			q.Set(name, value)
		}
	}
	var list struct {
		Items         []resource
		Prefixes      []string
		NextPageToken string
	}
	err := inBucket(b.askJSON(ctx, request{address: b.host + "/storage/v1/b/" + url.PathEscape(b.name) + "/o?" + q.Encode()}, &list))
	page := store.Page{Next: list.NextPageToken}
	for _, r := range list.Items {
		page.Objects = append(page.Objects, store.Object{Key: r.Name, Attributes: r.attributes()})
	}
	for _, p := range list.Prefixes {
		page.Objects = append(page.Objects, store.Object{Key: p, IsPrefix: true})
	}
	store.SortObjects(page.Objects)
	return page, err
}

func (b *bucket) Close() error {
	b.client.CloseIdleConnections()
	return nil
}

// chunk is the size of a part of an upload, a multiple of 256 KiB.
const chunk = 8 << 20

// Write sends a small object in one request, and any other in parts, the last of which makes the
// object. A lost part is sent again from the byte where the store stopped.
func (b *bucket) Write(ctx context.Context, key string, body io.Reader, onlyIfAbsent bool) error {
	var part bytes.Buffer
	sum := crc32.New(castagnoli)
	isEnd, err := store.ReadPart(body, &part, chunk)
	if err != nil {
		return err
	}
	sum.Write(part.Bytes())
	if isEnd {
		return b.writeSmall(ctx, key, part.Bytes(), onlyIfAbsent, sum.Sum(nil))
	}
	session, err := b.begin(ctx, key, onlyIfAbsent)
	if err != nil {
		return err
	}
	for at := int64(0); ; at += chunk {
		if err := b.send(ctx, session, part.Bytes(), at, isEnd, sum.Sum(nil)); err != nil || isEnd {
			return err
		}
		if isEnd, err = store.ReadPart(body, &part, chunk); err != nil {
			return err
		}
		sum.Write(part.Bytes())
	}
}

// writeSmall sends a whole object with its checksum, which the store compares.
func (b *bucket) writeSmall(ctx context.Context, key string, data []byte, onlyIfAbsent bool, sum []byte) error {
	about, err := json.Marshal(map[string]string{"name": key, "contentType": "application/octet-stream", "crc32c": base64.StdEncoding.EncodeToString(sum)})
	if err != nil {
		return err
	}
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	for _, part := range []struct {
		kind string
		data []byte
	}{{"application/json; charset=UTF-8", about}, {"application/octet-stream", data}} {
		w, err := parts.CreatePart(textproto.MIMEHeader{"Content-Type": {part.kind}})
		if err != nil {
			return err
		}
		w.Write(part.data)
	}
	parts.Close()
	r := b.upload("multipart", key, onlyIfAbsent)
	r.body, r.header = body.Bytes(), http.Header{"Content-Type": {"multipart/related; boundary=" + parts.Boundary()}}
	return inBucket(b.askJSON(ctx, r, nil))
}

// upload returns the beginning of an upload of a kind.
func (b *bucket) upload(kind, key string, onlyIfAbsent bool) request {
	q := url.Values{"uploadType": {kind}, "name": {key}}
	if onlyIfAbsent {
		q.Set("ifGenerationMatch", "0")
	}
	return request{method: http.MethodPost, address: b.host + "/upload/storage/v1/b/" + url.PathEscape(b.name) + "/o?" + q.Encode()}
}

// inBucket returns the error of an upload or a listing, for which only the bucket can be missing.
func inBucket(err error) error {
	var e *store.Error
	if errors.As(err, &e) && e.Kind == store.Absent {
		e.Kind = store.NoBucket
	}
	return err
}

// begin begins an upload, and returns the address for its parts.
func (b *bucket) begin(ctx context.Context, key string, onlyIfAbsent bool) (session string, err error) {
	r := b.upload("resumable", key, onlyIfAbsent)
	r.header = http.Header{"X-Upload-Content-Type": {"application/octet-stream"}, "Content-Type": {"application/json"}}
	r.body = []byte("{}")
	answer, err := b.ask(ctx, r)
	if err != nil {
		return "", inBucket(err)
	}
	answer.Body.Close()
	if session = answer.Header.Get("Location"); !b.mayAsk(session) {
		return "", &store.Error{Kind: store.Away, Status: answer.StatusCode}
	}
	return session, nil
}

// mayAsk reports whether a part may be sent to an address named by an answer: the token goes with
// it.
func (b *bucket) mayAsk(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (b.anonymous || u.Scheme == "https" && strings.HasSuffix(u.Hostname(), ".googleapis.com"))
}

// send sends a part of an upload. at is the position of its first byte, sum the checksum of all
// bytes so far. If a part is sent twice, the store keeps only the bytes that it lacks. It may
// also keep less than it received.
func (b *bucket) send(ctx context.Context, session string, part []byte, at int64, isEnd bool, sum []byte) error {
	end := at + int64(len(part))
	for {
		header, total := http.Header{}, "*"
		if isEnd {
			total = strconv.FormatInt(end, 10)
			header.Set("X-Goog-Hash", "crc32c="+base64.StdEncoding.EncodeToString(sum))
		}
		if len(part) == 0 {
			header.Set("Content-Range", "bytes */"+total)
		} else {
			header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%s", at, end-1, total))
		}
		answer, err := b.ask(ctx, request{method: http.MethodPut, address: session, header: header, body: part, incomplete: true})
		if err != nil {
			return inSession(err)
		}
		if answer.StatusCode != http.StatusPermanentRedirect {
			return checkStored(answer, isEnd, sum)
		}
		answer.Body.Close()
		has := int64(0)
		if last, ok := strings.CutPrefix(answer.Header.Get("Range"), "bytes=0-"); ok {
			if n, err := strconv.ParseInt(last, 10, 64); err == nil {
				has = n + 1
			}
		}
		switch {
		case has == end && !isEnd:
			return nil
		case has <= at || has >= end:
			return &store.Error{Kind: store.Away, Status: answer.StatusCode}
		}
		part, at = part[has-at:], has
	}
}

// checkStored checks the answer to the last part of an upload.
func checkStored(answer *http.Response, isEnd bool, sum []byte) error {
	defer answer.Body.Close()
	var r resource
	if err := decode(answer.Body, &r); err != nil {
		return err
	}
	if !isEnd || r.CRC32C != base64.StdEncoding.EncodeToString(sum) {
		return &store.Error{Kind: store.Away, Status: answer.StatusCode}
	}
	return nil
}

// inSession returns the error of a part: a session that is missing may be begun again.
func inSession(err error) error {
	var e *store.Error
	if errors.As(err, &e) && e.Kind == store.Absent {
		e.Kind = store.Away
	}
	return err
}

// request is one request. Each attempt sends body again.
type request struct {
	method, address string // method "" is GET
	header          http.Header
	body            []byte
	incomplete      bool // 308 is success: the upload wants more
}

const attempts = 3

// firstWait is the wait before the second attempt.
var firstWait = backoff.DefaultInitialInterval

// ask repeats a request until its answer would not change with another attempt. The returned
// answer is a success, and its body is open.
func (b *bucket) ask(ctx context.Context, r request) (*http.Response, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = firstWait
	return backoff.Retry(ctx, func() (*http.Response, error) {
		answer, err := b.askOnce(ctx, r)
		var e *store.Error
		if errors.As(err, &e) && (e.Kind != store.Away || e.Status != 0 && e.Status != http.StatusRequestTimeout && e.Status != http.StatusTooManyRequests && e.Status < 500) {
			err = backoff.Permanent(err)
		}
		return answer, err
	}, backoff.WithMaxTries(attempts), backoff.WithBackOff(waits))
}

func (b *bucket) askOnce(ctx context.Context, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.address, bytes.NewReader(r.body))
	if err != nil {
		return nil, &store.Error{Kind: store.Denied}
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	answer, err := b.client.Do(req)
	var e *store.Error
	switch {
	case errors.As(err, &e):
		return nil, e
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &store.Error{Kind: store.Away}
	case answer.StatusCode < 300, r.incomplete && answer.StatusCode == http.StatusPermanentRedirect:
		return answer, nil
	}
	defer answer.Body.Close()
	var said struct {
		Error struct {
			Errors []struct{ Reason string }
		}
	}
	_ = decode(answer.Body, &said)
	code := ""
	if len(said.Error.Errors) > 0 {
		code = said.Error.Errors[0].Reason
	}
	return nil, refusal(answer.StatusCode, code)
}

// refusal returns the error for an answer. Reasons are those of Google's own page on status
// codes.
func refusal(status int, reason string) *store.Error {
	e := store.Refusal(status, reason)
	switch reason {
	case "rateLimitExceeded", "userRateLimitExceeded":
		e.Kind = store.Away
	case "quotaExceeded", "dailyLimitExceeded":
		e.Kind = store.Full
	}
	return e
}

func (b *bucket) askJSON(ctx context.Context, r request, into any) error {
	answer, err := b.ask(ctx, r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if into == nil {
		return nil
	}
	return decode(answer.Body, into)
}

// decode reads an answer, which is not trusted to be small.
func decode(body io.Reader, into any) error {
	if err := json.NewDecoder(io.LimitReader(body, 16<<20)).Decode(into); err != nil {
		return &store.Error{Kind: store.Away}
	}
	return nil
}
