package upstream

import (
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	for _, c := range []struct {
		address string
		public  bool
	}{
		{"8.8.8.8", true}, {"104.16.0.1", true}, {"2606:4700::6810:1", true}, {"2a00:1450:4001::8a", true},
		{"::ffff:8.8.8.8", true}, // the same address, as some resolvers write it

		{"0.0.0.0", false}, {"0.1.2.3", false}, {"10.0.0.1", false}, {"100.64.0.1", false}, {"100.100.100.200", false},
		{"127.0.0.1", false}, {"127.255.255.254", false}, {"169.254.169.254", false}, {"172.16.0.1", false}, {"172.31.255.255", false},
		{"192.0.0.8", false}, {"192.0.2.1", false}, {"192.88.99.1", false}, {"192.168.1.1", false}, {"198.18.0.1", false},
		{"198.51.100.1", false}, {"203.0.113.1", false}, {"224.0.0.1", false}, {"240.0.0.1", false}, {"255.255.255.255", false},
		{"168.63.129.16", false},

		{"::", false}, {"::1", false}, {"::7f00:1", false}, // v4-compatible
		{"::ffff:127.0.0.1", false}, {"::ffff:169.254.169.254", false}, {"::ffff:10.0.0.1", false},
		{"::ffff:0:7f00:1", false},                              // SIIT
		{"64:ff9b::7f00:1", false}, {"64:ff9b::808:808", false}, // NAT64
		{"64:ff9b:1::a00:1", false},                          // local NAT64
		{"2002:7f00:1::", false}, {"2002:808:808::1", false}, // 6to4
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", false},           // Teredo
		{"2001:470:1::5efe:a00:1", false}, {"2001:470:1::", true}, // ISATAP, and its network
		{"2a00:1::200:5efe:a9fe:a9fe", false},      // ISATAP, global form
		{"2001:db8::1", false}, {"3fff::1", false}, // documentation
		{"2001:2::1", false}, {"2001:10::1", false}, {"2001:20::1", false}, // benchmarking, ORCHID
		{"100::1", false}, {"5f00::1", false}, // discard, segment routing
		{"fc00::1", false}, {"fd00:ec2::254", false}, {"fe80::1", false}, {"fec0::1", false}, {"ff02::1", false},
		{"fe80::1%eth0", false}, {"2a00::1%eth0", false},
	} {
		if got := public(netip.MustParseAddr(c.address)); got != c.public {
			t.Errorf("public(%s) = %v", c.address, got)
		}
	}
}

func TestOwnAddresses(t *testing.T) {
	for _, address := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "172.20.0.2", "192.168.0.9", "fd12::1"} {
		if !own(netip.MustParseAddr(address)) {
			t.Errorf("%s: a simulator could not live there", address)
		}
	}
	for _, address := range []string{"169.254.169.254", "100.100.100.200", "fd00:ec2::254", "fd20:ce::254", "fe80::1", "8.8.8.8", "0.0.0.0", "::", "64:ff9b::7f00:1", "::ffff:169.254.169.254"} {
		if own(netip.MustParseAddr(address)) {
			t.Errorf("%s: contacted because of the flag", address)
		}
	}
}
