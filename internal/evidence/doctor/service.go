package doctor

import "strings"

// service checks the service's name and address for clients. The default address reaches nobody.
func (d *doctor) service() {
	var unset []string
	for _, s := range []struct{ key, value string }{{"serve.support_email", d.SupportEmail}, {"serve.service_name", d.ServiceName}} {
		if s.value == "" {
			unset = append(unset, s.key)
		}
	}
	at := place{file: d.Config}
	if len(unset) == 0 {
		d.ok("service", at, "clients see %q and write to %s", d.ServiceName, d.SupportEmail)
		return
	}
	d.bad(Warn, "SERVICE_UNSET", "service", at, "set it below serve in mkt.yaml, such as support_email: support@example.com, then restart mkt serve",
		"not set: %s; /status shows clients the default", strings.Join(unset, ", "))
}
