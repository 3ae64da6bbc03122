// Package daemon is shared by the long-running commands: the admin address, the edits of
// tenants.yaml, and the line printed when they are ready.
package daemon

// Ready is the line of serve, simulate and schedule when they are ready, for the program that
// started them.
type Ready struct {
	Event    string  `json:"event"`
	BaseURL  string  `json:"base_url,omitempty"`
	AdminURL string  `json:"admin_url,omitempty"`
	Provider string  `json:"provider,omitempty"`
	Token    string  `json:"token,omitempty"`
	Tokens   []Token `json:"tokens,omitempty"`
}

// Token is a printed token, valid until the command ends.
type Token struct {
	ID    string `json:"client_id"`
	Token string `json:"token"`
}
