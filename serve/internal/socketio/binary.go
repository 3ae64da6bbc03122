package socketio

import (
	"bytes"
	"encoding/json"
)

// Attachments are binary messages that follow the JSON of a packet. Among the arguments of
// [NewPacket] or of an ack they do not count as an argument; the other arguments refer to
// attachment i by {"_placeholder":true,"num":i}. At most 10.
type Attachments [][]byte

// assembly is a binary packet whose attachments have not all arrived.
type assembly struct {
	packet packet
	got    Attachments
}

// add adds a copy of the next attachment. It returns true if the packet is complete.
func (a *assembly) add(data []byte) (whole bool) {
	a.got = append(a.got, bytes.Clone(data))
	return len(a.got) == a.packet.attachments
}

// check returns an error if a placeholder in the arguments names no attachment.
func (a *assembly) check() error {
	for _, arg := range a.packet.args {
		var v any
		d := json.NewDecoder(bytes.NewReader(arg))
		d.UseNumber() // a number may be too large for a float
		if d.Decode(&v) != nil || !placeholdersValid(v, len(a.got)) {
			return errPacket
		}
	}
	return nil
}

// placeholdersValid returns false if v contains a placeholder that names none of n attachments.
func placeholdersValid(v any, n int) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !placeholdersValid(e, n) {
				return false
			}
		}
	case map[string]any:
		if v["_placeholder"] == true {
			number, _ := v["num"].(json.Number)
			num, err := number.Float64()
			return err == nil && num >= 0 && num < float64(n) && num == float64(int(num))
		}
		for _, e := range v {
			if !placeholdersValid(e, n) {
				return false
			}
		}
	}
	return true
}
