package provider

// Tenant is whose data is fetched, and from where: all that fetch may know of an account.
type Tenant struct {
	ID                  string
	Provider            string // adapter name
	BaseURL             string // "" = the adapter's own
	Bookmaker           string // whose prices are asked for; "" = the adapter's default
	Mapping             string // the account's own mapping table, if the provider reads one; "" = none
	AllowPrivateAddress bool   // lets the provider live on loopback: the simulator
	SealedCredential    string // age-encrypted, armored; opened only here
	Fingerprint         string // credential.Fingerprint of SealedCredential
}
