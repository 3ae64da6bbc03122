package serve

import (
	"cmp"

	"mkt/publish/football"
	"mkt/serve/internal/api"
)

// status answers GET /status. Without a known token, it has the service and the time
// only, and is the same whether the token is missing or unknown.
func (c *call) status() error {
	s := api.Status{Service: c.service, APIVersion: api.Version, Status: "OK", Time: api.Time(c.now)}
	if a := c.who; a != nil {
		health := c.pipeline().Health(c.now)
		s.Account = &api.StatusAccount{ClientID: a.ClientID, Status: string(a.Status)}
		s.Health = &health
	}
	return c.sendDocument(s)
}

func (c *call) schema() error {
	return c.send(c.server.schema)
}

func describe(s Service) api.Service {
	return api.Service{
		Name: cmp.Or(s.Name, "Football Markets and Live Intelligence Service"),
		Products: map[string]api.ServiceProduct{
			string(football.MarketEngine):     {Name: "Market engine"},
			string(football.LiveIntelligence): {Name: "Live intelligence"},
		},
		URLs: map[string]string{
			"status":   api.Root + "/status",
			"schema":   api.Root + "/schema",
			"fixtures": api.Root + "/fixtures",
			"changes":  api.Root + "/changes",
			"live":     api.Root + "/live",
			"account":  api.Root + "/account",
		},
		SupportEmail: cmp.Or(s.SupportEmail, "support@localhost"),
		APIVersion:   api.Version,
	}
}
