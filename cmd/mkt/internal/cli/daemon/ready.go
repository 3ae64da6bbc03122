// Package daemon has what the commands that run until they are stopped share: the admin
// address, the edits of tenants.yaml, and the line that says that they are ready.
package daemon

// Ready is the line that serve, simulate and schedule print when they are ready, for whoever
// started them.
type Ready struct {
	Event    string  `json:"event"`
	BaseURL  string  `json:"base_url,omitempty"`
	AdminURL string  `json:"admin_url,omitempty"`
	Provider string  `json:"provider,omitempty"`
	Token    string  `json:"token,omitempty"`
	Tokens   []Token `json:"tokens,omitempty"`
}

// Token is a token that ends with the command that prints it.
type Token struct {
	ID    string `json:"client_id"`
	Token string `json:"token"`
}
