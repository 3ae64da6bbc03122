package schedule

var Steady = steady
