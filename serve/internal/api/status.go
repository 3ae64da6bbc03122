package api

// Status is the data of GET /status (specification, section 2.10). Account and Health are
// nil if the token is unknown.
type Status struct {
	Service    Service        `json:"service"`
	APIVersion string         `json:"api_version"`
	Status     string         `json:"status"` // OK
	Time       Time           `json:"time"`
	Account    *StatusAccount `json:"account"`
	Health     *Health        `json:"health,omitempty"`
}

// Service describes the service. It is the same for all clients.
type Service struct {
	Name         string                    `json:"name"`
	Products     map[string]ServiceProduct `json:"products"`
	URLs         map[string]string         `json:"urls"` // paths below the base URL
	SupportEmail string                    `json:"support_email"`
	APIVersion   string                    `json:"api_version"`
}

// ServiceProduct is one product of the service.
type ServiceProduct struct {
	Name string `json:"name"`
}

// StatusAccount is the account of the token.
type StatusAccount struct {
	ClientID string `json:"client_id"`
	Status   string `json:"status"`
}
