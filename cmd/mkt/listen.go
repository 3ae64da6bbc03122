package main

import (
	"net"
	"strconv"
)

// checkListen judges an address to listen on before anything is opened. The port
// is a number: names differ from machine to machine.
func checkListen(flag, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return usagef("--%s %q: want HOST:PORT, such as 127.0.0.1:8080, or :8080 for every address of this machine", flag, address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return usagef("--%s %q: want a port from 0 to 65535; 0 takes a free one", flag, address)
	}
	return nil
}
