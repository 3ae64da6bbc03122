package engine

import (
	"encoding/json"
	"net/http"
	"strings"

	"mkt/internal/listen"
)

type refusal struct {
	status  int
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// These are the errors of the protocol; tooManySessions is an addition.
var (
	transportUnknown   = refusal{400, 0, "Transport unknown"}
	pollingNotOffered  = refusal{400, 0, "Transport unknown: connect with the websocket transport alone"}
	sessionUnknown     = refusal{400, 1, "Session ID unknown"}
	badHandshakeMethod = refusal{400, 2, "Bad handshake method"}
	badRequest         = refusal{400, 3, "Bad request"}
	versionUnsupported = refusal{400, 5, "Unsupported protocol version"}
	tooManySessions    = refusal{503, 4, "Too many connections"}
)

// ServeHTTP implements http.Handler. The order of the checks is that of the protocol.
func (v *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sane := saneOrigin(r.Header)
	if sane {
		allowOrigin(w.Header(), r.Header)
	}
	if r.ContentLength != 0 {
		defer listen.BoundBody(w, r, v.o.ReadTimeout, closeGrace)()
	}
	if r.Method == http.MethodOptions {
		preflight(w, r)
		return
	}
	query := r.URL.Query() // invalid parameters are ignored
	transport := query.Get("transport")
	upgrades := isUpgrade(r)
	switch {
	case transport != "websocket" && transport != "polling":
		v.refuse(w, r, transportUnknown)
	case transport == "polling" && v.o.WebsocketOnly:
		v.refuse(w, r, pollingNotOffered)
	case !sane, v.oversized(r), r.ContentLength != 0 && r.Method == http.MethodGet:
		v.refuse(w, r, badRequest)
	case query.Get("sid") != "":
		v.resume(w, r, query.Get("sid"), transport)
	case r.Method != http.MethodGet:
		v.refuse(w, r, badHandshakeMethod)
	case transport == "websocket" && !upgrades:
		v.refuse(w, r, badRequest)
	case query.Get("EIO") != "4":
		v.refuse(w, r, versionUnsupported)
	case transport == "websocket":
		v.websocket(w, r, nil)
	default:
		v.handshake(w, r)
	}
}

// resume handles a request that names a session.
func (v *Server) resume(w http.ResponseWriter, r *http.Request, id, transport string) {
	s := v.find(id)
	switch {
	case s == nil:
		v.refuse(w, r, sessionUnknown)
	case transport == "websocket" && isUpgrade(r):
		v.websocket(w, r, s)
	case transport == "websocket" || s.isWebsocket():
		v.refuse(w, r, badRequest)
	case r.Method == http.MethodGet:
		s.pollRequest(w, r)
	case r.Method == http.MethodPost:
		s.postRequest(w, r)
	default:
		v.refuse(w, r, badRequest)
	}
}

// refuse answers with an error: JSON, or plain text for an upgrade request.
func (v *Server) refuse(w http.ResponseWriter, r *http.Request, e refusal) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if e.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "2")
	}
	if isUpgrade(r) {
		h.Set("Connection", "close")
		http.Error(w, e.Message, e.status)
		return
	}
	body, err := json.Marshal(e)
	if err != nil {
		panic(err) // a number and a string
	}
	v.respond(w, e.status, "application/json", body)
}

func isUpgrade(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// oversized reports whether a request is larger than that of any real client.
func (v *Server) oversized(r *http.Request) bool {
	return listen.HeaderBytes(r.Header) > v.o.MaxHeader || len(r.RequestURI) > v.o.MaxTarget
}

func saneOrigin(h http.Header) bool {
	for _, origin := range h["Origin"] {
		for i := range len(origin) {
			if c := origin[i]; c != '\t' && c < ' ' || c == 0x7f {
				return false
			}
		}
	}
	return true
}

// allowOrigin lets the page that asked read the answer. There are no cookies: the only
// authority is the token in the messages, and whether the origin may use it is checked
// together with the token.
func allowOrigin(h, request http.Header) {
	h.Add("Vary", "Origin")
	if origin := request.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
	}
}

func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Allow", "GET, POST, OPTIONS")
	if r.Header.Get("Origin") != "" {
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		h.Set("Access-Control-Allow-Headers", allowedHeaders(r.Header.Get("Access-Control-Request-Headers")))
		h.Set("Access-Control-Max-Age", "600")
		h.Add("Vary", "Access-Control-Request-Headers")
	}
	w.WriteHeader(http.StatusNoContent)
}

// allowedHeaders returns the headers that a client asks for if they are a list of names,
// because a client may add its own headers to requests.
func allowedHeaders(asked string) string {
	const usual = "Authorization, Content-Type"
	if asked == "" || len(asked) > 512 {
		return usual
	}
	for i := range len(asked) {
		c := asked[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_, ", c) >= 0) {
			return usual
		}
	}
	return asked
}
