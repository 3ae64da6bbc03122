package cli

import (
	"net"
	"strconv"

	"github.com/spf13/pflag"
)

// IsFree returns an error if an address cannot be listened on now.
func IsFree(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// Listens restricts a flag to addresses to listen on. The port must be a number, because
// names of ports differ from machine to machine.
func Listens(flags *pflag.FlagSet, name string, address *string) {
	Bound(flags, name, "HOST:PORT, such as 127.0.0.1:8080, or :8080 for every address of this machine", func() bool {
		_, port, err := net.SplitHostPort(*address)
		if err != nil {
			return false
		}
		_, err = strconv.ParseUint(port, 10, 16)
		return err == nil
	})
}
