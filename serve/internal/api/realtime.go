package api

import (
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

// Mirrors returns the HTTP route that has the same content.
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

// ChannelState says whether a subscribe to a channel would succeed now. Reason is the
// code with which it would be refused, or nil.
type ChannelState struct {
	Channel   Channel `json:"channel"`
	Mirrors   string  `json:"mirrors"`
	Available bool    `json:"available"`
	Reason    *Code   `json:"reason"`
}

// Bootstrap says where a client gets the state to which it applies the events.
type Bootstrap struct {
	Fixtures string `json:"fixtures"`
	Changes  string `json:"changes"`
	Note     string `json:"note"`
}

// HowToBootstrap returns the Bootstrap, which is the same for all clients.
func HowToBootstrap() Bootstrap {
	return Bootstrap{
		Fixtures: Root + "/fixtures",
		Changes:  Root + "/changes",
		Note:     "Page fixtures for the state, then subscribe to changes with meta.changes_seq of the first page as the cursor: no event is missed, and none comes twice.",
	}
}

const liveNote = "The state is at GET " + Root + "/live; a push follows whenever the snapshot advances."

// AppendSubscribedChanges appends the answer to a subscribe on changes. cursor is the
// position after the events.
func AppendSubscribedChanges(dst []byte, events *List, cursor uint64, w Window) []byte {
	dst = addBool(dst, `{"ok":`, true)
	dst = addText(dst, `,"channel":`, string(ChangesChannel))
	dst = addInt(dst, `,"cursor":`, int64(cursor))
	dst = append(dst, `,"events":`...)
	dst = events.AppendArray(dst)
	dst = addWindow(dst, w)
	dst = addText(dst, `,"mirrors":`, ChangesChannel.Mirrors())
	return append(dst, '}')
}

// AppendSubscribedLive appends the answer to a subscribe on live. processedAt is nil if
// there is no snapshot yet.
func AppendSubscribedLive(dst []byte, processedAt *time.Time, count int) []byte {
	dst = addBool(dst, `{"ok":`, true)
	dst = addText(dst, `,"channel":`, string(LiveChannel))
	dst = addTimeOrNull(dst, `,"processed_at":`, processedAt)
	dst = addInt(dst, `,"fixture_count":`, int64(count))
	dst = addText(dst, `,"note":`, liveNote)
	return append(dst, '}')
}

// AppendUnsubscribed appends the answer to an unsubscribe.
func AppendUnsubscribed(dst []byte, c Channel) []byte {
	dst = addBool(dst, `{"ok":`, true)
	dst = addText(dst, `,"channel":`, string(c))
	return append(dst, '}')
}

// AppendMessageRefused appends the answer to a message that was refused.
func AppendMessageRefused(dst []byte, e *Error, requestID string) []byte {
	dst = addBool(dst, `{"ok":`, false)
	dst = append(dst, `,"error":`...)
	dst = AppendRefusal(dst, e, requestID)
	return append(dst, '}')
}

// AppendChangesPush appends the payload of a changes event. cursor is the position at
// which to resume after a disconnection.
func AppendChangesPush(dst []byte, events *List, cursor uint64) []byte {
	dst = append(dst, `{"events":`...)
	dst = events.AppendArray(dst)
	dst = addInt(dst, `,"cursor":`, int64(cursor))
	return append(dst, '}')
}

// AppendLivePush appends the payload of a live event: the data of GET /live?limit=200
// and its meta without the age. count is the number of all fixtures in play.
func AppendLivePush(dst []byte, items *List, count int, f Freshness) []byte {
	dst = append(dst, `{"data":`...)
	dst = items.AppendArray(dst)
	dst = append(dst, `,"meta":`...)
	return append(AppendLiveMeta(dst, count, f), '}')
}

// AppendChannelClosed appends the payload of a channel_closed event. It is not the
// answer to a request, so its request id is null.
func AppendChannelClosed(dst []byte, c Channel, e *Error) []byte {
	dst = addText(dst, `{"channel":`, string(c))
	dst = append(dst, `,"error":{`...)
	dst = addRefusal(dst, e, "")
	return append(dst, `}}`...)
}
