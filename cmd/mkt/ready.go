package main

// listening is what serve, simulate and schedule print when they answer, to whoever
// started them and waits for it.
type listening struct {
	Event    string     `json:"event"`
	BaseURL  string     `json:"base_url,omitempty"`
	AdminURL string     `json:"admin_url,omitempty"`
	Provider string     `json:"provider,omitempty"`
	Token    string     `json:"token,omitempty"`
	Tokens   []runToken `json:"tokens,omitempty"`
}

// forScripts tells whether the ready line is JSON: asked for, or read by a
// program, since nobody looks at a pipe.
func (a *app) forScripts() bool { return a.json() || !onTerminal(a.out) }

// runToken is a token that ends with the command that prints it.
type runToken struct {
	ID    string `json:"client_id"`
	Token string `json:"token"`
}
