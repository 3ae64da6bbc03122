package matchpage

import (
	"fmt"
	"strings"
	"time"

	"mkt/publish/football"
	"mkt/publish/table"
)

// words returns a value as it is shown: "?" if it is unknown.
func words[T any](v *T) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprint(*v)
}

// numberOf returns a number, 0 for an unknown one.
func numberOf[T int32 | float64](n *T) T {
	if n == nil {
		return 0
	}
	return *n
}

func lower(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", " ")) }

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func scoreboard(seconds int) string { return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60) }

func clockOf(e table.LiveTimelineRow) string {
	switch {
	case e.Minute == nil:
		return "--:--"
	case e.Added != nil:
		return fmt.Sprintf("%02d+%d", *e.Minute, *e.Added)
	case e.Second == nil:
		return fmt.Sprintf("%02d:--", *e.Minute)
	}
	return scoreboard(int(*e.Minute)*60 + int(*e.Second))
}

func timesOf(t *time.Time) string {
	if t == nil {
		return "not known"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000 UTC")
}

var halfNames = [...]string{"play", "first half", "second half", "extra time, first half", "extra time, second half"}

// halfName returns the name of a half, at the beginning of a sentence.
func halfName(n int) string {
	if n < 0 || n >= len(halfNames) {
		n = 0
	}
	return upperFirst(halfNames[n])
}

var phases = map[football.Phase]string{football.FirstHalf: halfNames[1], football.HalfTime: "half-time", football.SecondHalf: halfNames[2],
	football.Break: "break before or in extra time", football.ExtraFirstHalf: halfNames[3], football.ExtraSecondHalf: halfNames[4], football.Shootout: "penalty shoot-out", football.FullTime: "full time"}

// notSeen is the reason for a stretch of play without momentum if no cycle has one.
const notSeen = "nothing was seen"

var reasons = map[football.UnavailableReason]string{
	football.InsufficientSamples: "too little was seen yet", football.FeedStale: "the feed was silent",
	football.CountersNotProvided: "the provider sends no counters of attacks", football.NotInPlay: "play was interrupted", "": notSeen,
}

// reasonOf returns the reason for missing momentum in words.
func reasonOf(reason string) string {
	if text, ok := reasons[football.UnavailableReason(reason)]; ok {
		return text
	}
	return lower(reason)
}

// notInPlay says why there is no play now.
func notInPlay(r *table.LiveRow) string {
	switch football.Phase(words(r.ClockPeriod)) {
	case football.HalfTime:
		return "it is half-time"
	case football.Break:
		return "there is a break"
	case football.Shootout:
		return "penalties are being taken"
	case football.FullTime:
		return "the match is over"
	case football.FirstHalf, football.SecondHalf, football.ExtraFirstHalf, football.ExtraSecondHalf:
		return "play is interrupted"
	}
	if hasNotBegun(r) {
		return "the match has not begun"
	}
	return "no play is reported"
}

// hasNotBegun reports whether the clock stands at kick-off.
func hasNotBegun(r *table.LiveRow) bool {
	return !r.InPlay && words(r.ClockPeriod) == "?" && r.ClockMinute != nil && *r.ClockMinute == 0
}

var states = map[string]string{
	"KICK_OFF": "kick-off", "CALM": "calm play", "ATTACK": "attack", "PRESSURE": "pressure", "DANGER": "dangerous attack", "CORNER": "corner", "GOAL": "goal",
	"CARD": "card", "PENALTY": "penalty", "SUBSTITUTION": "substitution", "HALF_TIME": "half-time", "FULL_TIME": "full time", "STALE": "the feed was silent",
}

func stateName(state string) string {
	if name, ok := states[state]; ok {
		return name
	}
	return lower(state)
}

// certain describes how an entry is known; "" if the provider reported it as an event.
func certain(certainty string) string {
	switch certainty {
	case "EXACT":
		return ""
	case "INFERRED":
		return "inferred"
	}
	return "uncertain"
}

var icons = map[string]string{"GOAL": "goal", "CARD": "card", "PENALTY": "penalty", "CORNER": "corner", "SUBSTITUTION": "change",
	"KICK_OFF": "whistle", "HALF_TIME": "whistle", "FULL_TIME": "whistle", "STALE": "silent"}

var withdrawals = map[football.WithdrawalReason]string{football.TookBack: "the provider took it back", football.CounterFell: "the counter fell",
	football.Replaced: "another entry is in its place", football.Restarted: "the timeline began again"}

var metrics = map[string]string{
	"on_target": "shots on target", "off_target": "shots off target", "shots_blocked": "blocked shots", "corners_1h": "corners, first half", "corners_ft": "corners, full time",
	"corners_et": "corners, extra time", "second_yellow_cards": "second yellow cards", "possession": "possession, %", "ball_safe": "safe possessions", "xg": "expected goals",
	"throw_ins": "throw-ins",
}

func metricName(metric string) string {
	if name, ok := metrics[metric]; ok {
		return upperFirst(name)
	}
	return upperFirst(lower(metric))
}

// counterOrder is the order in which people look for counters; the others follow.
var counterOrder = []football.Metric{football.Possession, football.ExpectedGoals, football.Shots, football.OnTarget, football.OffTarget, football.DangerousAttacks, football.Attacks,
	football.Corners, football.YellowCards, football.RedCards, football.Penalties}

// IsStale reports whether a row is too old to say anything of the present.
func IsStale(r *table.LiveRow, now time.Time) bool {
	return r.InPlay && r.StaleAt != nil && now.After(*r.StaleAt)
}
