package serve

import (
	"net/http"
	"time"

	"mkt/publish/durable"
	"mkt/serve/internal/api"
	"mkt/serve/requests"
)

// openRequests opens the folder of the newest requests, beside the usage counters and under the
// same name. They are telemetry too: the server runs without them. A view of the past keeps none.
func (s *server) openRequests(o *Options) {
	if s.usageDisk == nil {
		return
	}
	disk, err := durable.OpenUnsynced(RequestsDir(o.usageDir()))
	if err != nil {
		s.log.Warn("the newest requests of accounts are not kept", "err", err)
		return
	}
	s.requestsDisk = disk
	s.requests = requests.New(requests.Options{Disk: disk, Name: s.usage.Name, Now: o.Now, Log: o.Log,
		Known: func(clientID string) bool { _, known := s.accounts.Load().Find(clientID); return known }})
}

// keepRequest keeps an answered request of an account. The ids of its path are kept only if the
// account has what they name: others may be those of another account.
func (s *server) keepRequest(c *call, ended time.Time) {
	r := c.asked
	if c.Status != http.StatusOK && c.Status != http.StatusNotModified {
		r.Fixture, r.Market = c.found, ""
	}
	r.At, r.ID, r.Route, r.Status, r.Code, r.Message, r.Bytes = ended, c.ID, c.Route, c.Status, string(c.Code), c.Message, c.Bytes
	r.MS = float64((c.Took+50*time.Microsecond)/(100*time.Microsecond)) / 10
	s.requests.Add(c.Tenant, r)
}

// keepMessage keeps a handshake or a message of a socket.
func (s *server) keepMessage(clientID, message, requestID string, refused *api.Error) {
	r := requests.Record{At: s.real(), ID: requestID, Route: realtimePath + " " + message}
	if refused != nil {
		r.Code, r.Message = string(refused.Code), refused.Text()
	}
	s.requests.Add(clientID, r)
}
