package emulator

import "encoding/json"

// playing are the members added by the includes of the list of matches in play. Those of a
// fixture that has not begun are empty lists.
type playing struct {
	Scores     []score     `json:"scores"`
	Periods    []period    `json:"periods"`
	Statistics []statistic `json:"statistics"`
	Events     []event     `json:"events"`
}

type score struct {
	ID          int64 `json:"id"`
	Fixture     int64 `json:"fixture_id"`
	Type        int   `json:"type_id"`
	Participant int   `json:"participant_id"`
	Score       struct {
		Goals       int    `json:"goals"`
		Participant string `json:"participant"`
	} `json:"score"`
	Description string `json:"description"`
}

type period struct {
	ID          int64  `json:"id"`
	Fixture     int64  `json:"fixture_id"`
	Type        int    `json:"type_id"`
	Started     int64  `json:"started"`
	Ended       *int64 `json:"ended"`
	CountsFrom  int    `json:"counts_from"`
	Ticking     bool   `json:"ticking"`
	Order       int    `json:"sort_order"`
	Description string `json:"description"`
	Added       *int   `json:"time_added"`
	Length      int    `json:"period_length"`
	Minutes     *int   `json:"minutes"`
	Seconds     int    `json:"seconds"`
	HasTimer    bool   `json:"has_timer"`
}

type statistic struct {
	ID          int64 `json:"id"`
	Fixture     int64 `json:"fixture_id"`
	Type        int   `json:"type_id"`
	Participant int   `json:"participant_id"`
	Data        struct {
		Value *json.Number `json:"value"`
	} `json:"data"`
	Location string `json:"location"`
}

type event struct {
	ID          int64   `json:"id"`
	Fixture     int64   `json:"fixture_id"`
	Period      int64   `json:"period_id"`
	Participant int     `json:"participant_id"`
	Type        int     `json:"type_id"`
	Section     string  `json:"section"`
	Player      *string `json:"player_name"`
	Related     *string `json:"related_player_name"`
	Result      *string `json:"result"`
	Info        *string `json:"info"`
	Minute      int     `json:"minute"`
	Extra       *int    `json:"extra_minute"`
	Rescinded   *bool   `json:"rescinded"`
	Order       int     `json:"sort_order"`
}
