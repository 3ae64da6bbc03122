package api

import (
	"strconv"
	"time"
)

// Channel is one stream of pushes (specification, section 6.3).
type Channel string

const (
	ChangesChannel Channel = "changes"
	LiveChannel    Channel = "live"
)

// Channels lists the channels, in the contract's order.
func Channels() []Channel { return []Channel{ChangesChannel, LiveChannel} }

// Mirrors is the HTTP route that has the same content.
func (c Channel) Mirrors() string { return Root + "/" + string(c) }

// Messages of the socket.
const (
	ReadyEvent         = "ready"
	ChangesEvent       = "changes"
	LiveEvent          = "live"
	ChannelClosedEvent = "channel_closed"

	SubscribeMessage   = "subscribe"
	UnsubscribeMessage = "unsubscribe"
)

// Ready is the first event of every connection.
type Ready struct {
	ClientID   string         `json:"client_id"`
	Contract   string         `json:"contract"`
	ServerTime Time           `json:"server_time"`
	TickMS     int64          `json:"tick_ms"`
	Channels   []ChannelState `json:"channels"`
	Bootstrap  Bootstrap      `json:"bootstrap"`
}

// ChannelState says of one channel whether a subscribe would succeed now. Reason
// is the code that it would get, nil when it would.
type ChannelState struct {
	Channel   Channel `json:"channel"`
	Mirrors   string  `json:"mirrors"`
	Available bool    `json:"available"`
	Reason    *Code   `json:"reason"`
}

// Bootstrap says where the state comes from that events are changes of.
type Bootstrap struct {
	Fixtures string `json:"fixtures"`
	Changes  string `json:"changes"`
	Note     string `json:"note"`
}

// HowToBootstrap is the same for everybody.
func HowToBootstrap() Bootstrap {
	return Bootstrap{
		Fixtures: Root + "/fixtures",
		Changes:  Root + "/changes",
		Note:     "Page fixtures for the state, then subscribe to changes with meta.changes_seq of the first page as the cursor: no event is missed, and none comes twice.",
	}
}

const liveNote = "The state is at GET " + Root + "/live; a push follows whenever the snapshot advances."

// AppendSubscribedChanges appends the answer to a subscribe on changes. cursor is
// the position behind the events.
func AppendSubscribedChanges(dst []byte, events *List, cursor uint64, w Window) []byte {
	dst = append(dst, `{"ok":true,"channel":"changes","cursor":`...)
	dst = strconv.AppendUint(dst, cursor, 10)
	dst = append(dst, `,"events":`...)
	dst = events.AppendArray(dst)
	dst = append(dst, `,"window":`...)
	dst = AppendWindow(dst, w)
	dst = append(dst, `,"mirrors":`...)
	return append(appendString(dst, ChangesChannel.Mirrors()), '}')
}

// AppendSubscribedLive appends the answer to a subscribe on live. processedAt is
// nil as long as there is no snapshot.
func AppendSubscribedLive(dst []byte, processedAt *time.Time, count int) []byte {
	dst = append(dst, `{"ok":true,"channel":"live","processed_at":`...)
	dst = appendTimeOrNull(dst, processedAt)
	dst = append(dst, `,"fixture_count":`...)
	dst = appendInt(dst, int64(count))
	dst = append(dst, `,"note":`...)
	return append(appendString(dst, liveNote), '}')
}

// AppendUnsubscribed appends the answer to an unsubscribe.
func AppendUnsubscribed(dst []byte, c Channel) []byte {
	dst = append(dst, `{"ok":true,"channel":`...)
	return append(appendString(dst, string(c)), '}')
}

// AppendNotDone appends the answer to a message that was refused. retry_after is
// what the header says over HTTP, in seconds; absent where there is none.
func AppendNotDone(dst []byte, e *Error, requestID string) []byte {
	dst = append(dst, `{"ok":false,"error":`...)
	dst = AppendRefusal(dst, e, requestID)
	if e.RetryAfter > 0 {
		dst = append(dst[:len(dst)-1], `,"retry_after":`...)
		dst = append(appendInt(dst, e.Seconds()), '}')
	}
	return append(dst, '}')
}

// AppendChangesPush appends the payload of a changes event. cursor is where to
// resume after a disconnection.
func AppendChangesPush(dst []byte, events *List, cursor uint64) []byte {
	dst = append(dst, `{"events":`...)
	dst = events.AppendArray(dst)
	dst = append(dst, `,"cursor":`...)
	return append(strconv.AppendUint(dst, cursor, 10), '}')
}

// AppendLivePush appends the payload of a live event: the data of GET
// /live?limit=200 and its meta without the age. count is how many fixtures are
// in play in all.
func AppendLivePush(dst []byte, items *List, count int, f Freshness) []byte {
	dst = append(dst, `{"data":`...)
	dst = items.AppendArray(dst)
	dst = append(dst, `,"meta":`...)
	return append(AppendLiveMeta(dst, count, f), '}')
}

// AppendChannelClosed appends the payload of a channel_closed event. No request
// caused it, so its request id is null.
func AppendChannelClosed(dst []byte, c Channel, e *Error) []byte {
	dst = append(dst, `{"channel":`...)
	dst = appendString(dst, string(c))
	dst = append(dst, `,"error":`...)
	return append(AppendRefusal(dst, e, ""), '}')
}
