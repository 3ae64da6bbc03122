package competition

// Kind of competition.
type Kind uint8

const (
	Senior Kind = iota
	Women
	Youth
	Reserves
	Cup
	Friendly
	Esoccer   // played on a console: not football
	Simulated // played by nobody: not football
)

// League is a competition.
type League struct {
	Number  int // stable within the world, from 0
	Name    string
	Kind    Kind
	Tier    int     // 1 = every market is offered, 3 = the fewest
	Goals   float64 // a match's average
	Minutes int     // planned length of a match
	Teams   int
}

// Human reports whether it is football played by people.
func (l League) Human() bool { return l.Kind < Esoccer }

// competition is a row of the table of leagues: weight is how often it is drawn.
type competition struct {
	name    string
	kind    Kind
	tier    int
	goals   float64
	minutes int
	weight  int
	naming  naming
	teams   int
}

// competitions have invented or generic names like those of a bookmaker's list. The forms
// of the first eSoccer names are recorded ones, with their en dash; the last ones do not
// contain eSoccer, and the very last can be recognised by its teams alone. The weights of
// the kind Esoccer add up to 17: another sum would change the fixtures of every seed.
var competitions = []competition{
	{"England Northern Premier", Senior, 1, 2.8, 90, 9, english, 20},
	{"England Shires League", Senior, 1, 2.6, 90, 7, english, 24},
	{"England Southern Counties Div 1", Senior, 2, 2.7, 90, 7, english, 22},
	{"England Combination Cup", Cup, 2, 2.9, 90, 3, english, 32},
	{"England Women Championship North", Women, 2, 3.2, 90, 3, english, 12},
	{"England U21 Development League", Youth, 3, 3.4, 90, 3, english, 16},
	{"Scotland Highland Division", Senior, 2, 2.9, 90, 4, english, 12},
	{"Wales Premier South", Senior, 3, 3.0, 90, 3, english, 12},
	{"Ireland Division 1", Senior, 3, 2.5, 90, 3, english, 10},
	{"Germany Oberliga Mitte", Senior, 2, 3.2, 90, 6, german, 18},
	{"Germany Regionalliga Elbe", Senior, 2, 3.0, 90, 6, german, 18},
	{"Germany Landespokal Mitte", Cup, 3, 3.7, 90, 3, german, 32},
	{"Austria Regionalliga Donau", Senior, 3, 3.1, 90, 3, german, 16},
	{"Switzerland 1. Liga Promotion Group 4", Senior, 3, 3.0, 90, 2, german, 14},
	{"Spain Tercera Group 19", Senior, 2, 2.2, 90, 5, spanish, 18},
	{"Spain Primera Litoral", Senior, 1, 2.5, 90, 7, spanish, 20},
	{"Spain Copa del Litoral", Cup, 2, 2.6, 90, 2, spanish, 32},
	{"Spain Women Liga Litoral", Women, 3, 2.9, 90, 2, spanish, 14},
	{"Argentina Liga del Sur", Senior, 2, 2.1, 90, 5, latin, 24},
	{"Mexico Liga Pacifico", Senior, 2, 2.7, 90, 4, latin, 18},
	{"Colombia Torneo Andino", Senior, 2, 2.3, 90, 4, latin, 16},
	{"Chile Primera Austral", Senior, 3, 2.6, 90, 3, latin, 14},
	{"Copa Meridional", Cup, 1, 2.4, 90, 3, latin, 32},
	{"Italy Serie Adriatica", Senior, 1, 2.6, 90, 7, italian, 20},
	{"Italy Serie D Girone Z", Senior, 2, 2.3, 90, 4, italian, 18},
	{"Italy Primavera 3", Youth, 3, 3.0, 90, 2, italian, 14},
	{"France National 4", Senior, 2, 2.4, 90, 4, french, 18},
	{"France Ligue Atlantique", Senior, 1, 2.7, 90, 6, french, 18},
	{"France Women Division 3", Women, 3, 3.1, 90, 2, french, 12},
	{"Belgium Youth League U18", Youth, 3, 3.4, 90, 2, french, 14},
	{"Portugal Campeonato Norte", Senior, 2, 2.5, 90, 4, portuguese, 18},
	{"Brazil Serie Interior", Senior, 1, 2.3, 90, 6, portuguese, 20},
	{"Brazil Campeonato Litorâneo U20", Youth, 3, 2.8, 90, 2, portuguese, 16},
	{"Sweden Division 2 Östra Kusten", Senior, 3, 3.1, 90, 3, nordic, 14},
	{"Norway 3. Divisjon Avd. 7", Senior, 3, 3.8, 90, 3, nordic, 14},
	{"Denmark Series West", Senior, 2, 3.0, 90, 3, nordic, 12},
	{"Iceland 4. Deild", Senior, 3, 4.1, 90, 2, nordic, 10},
	{"Poland III Liga Group 5", Senior, 3, 3.0, 90, 3, slavic, 18},
	{"Czech Divize F", Senior, 3, 3.2, 90, 3, slavic, 16},
	{"Croatia 3. NL Otoci", Senior, 3, 2.7, 90, 2, slavic, 12},
	{"Balkan Supercup", Cup, 1, 2.5, 90, 2, slavic, 16},
	{"Turkey Lig 4 Group B", Senior, 3, 2.6, 90, 3, turkish, 16},
	{"Turkey Cumhuriyet Cup", Cup, 2, 2.8, 90, 2, turkish, 32},
	{"Japan Regional League East", Senior, 2, 2.8, 90, 4, japanese, 14},
	{"Japan Women League 4", Women, 3, 2.7, 90, 2, japanese, 10},
	{"Egypt Delta League", Senior, 2, 2.0, 90, 3, arabic, 18},
	{"Gulf Champions Trophy", Cup, 1, 2.6, 90, 2, arabic, 16},
	{"World Club Friendlies", Friendly, 2, 3.0, 90, 4, english, 30},
	{"Europe Reserve League", Reserves, 3, 3.3, 90, 2, german, 16},
	{"World Cup of Regions Qualifying", Cup, 1, 2.5, 90, 3, nations, 20},
	{"Esoccer Battle - 8 mins play", Esoccer, 3, 5.2, 8, 4, gamers, 16},
	{"Esoccer GT Leagues \u2013 12 mins play", Esoccer, 3, 5.6, 12, 3, gamers, 16},
	{"Esoccer H2H GG League - 8 mins play", Esoccer, 3, 4.9, 8, 2, gamers, 12},
	{"Esoccer Adriatic League - 10 mins play", Esoccer, 3, 4.4, 10, 1, gamers, 12},
	{"Simulated Reality League Shires", Simulated, 3, 2.7, 90, 1, robots, 10},
	{"eFootball International", Esoccer, 3, 4.8, 10, 1, avatars, 12},
	{"Volta Football League", Esoccer, 3, 5.8, 8, 1, avatars, 12},
	{"Cyber Live Arena", Esoccer, 3, 4.6, 10, 1, avatars, 12},
	{"FIFA 24 Champions", Esoccer, 3, 5.0, 8, 1, nicks, 12},
	{"EA FC 25 - GT Leagues", Esoccer, 3, 5.4, 12, 1, nicks, 12},
	{"Liga Pro - 12 mins play", Esoccer, 3, 4.9, 12, 1, avatars, 12},
	{"International Masters Cup", Esoccer, 3, 4.7, 10, 1, nicks, 12},
}

func league(i int) League {
	c := competitions[i]
	return League{i, c.name, c.kind, c.tier, c.goals, c.minutes, c.teams}
}

// Leagues returns every competition of a world.
func Leagues() []League {
	all := make([]League, len(competitions))
	for i := range all {
		all[i] = league(i)
	}
	return all
}

// firstReal is the number of the first league of recorded matches.
const firstReal = 1000

// RealLeague returns the n-th league of recorded matches, from 0.
func RealLeague(n int, name string) League {
	return League{Number: firstReal + n, Name: name, Kind: Senior, Tier: 2, Goals: 2.7, Minutes: 90, Teams: 20}
}

// Pool is a set of leagues, from which one is drawn by weight.
type Pool struct {
	leagues []League
	weights []int
	Sum     int
}

// PoolOf returns the pool of some kinds of leagues.
func PoolOf(in func(Kind) bool) (p Pool) {
	for i, c := range competitions {
		if in(c.kind) {
			p.leagues, p.weights, p.Sum = append(p.leagues, league(i)), append(p.weights, c.weight), p.Sum+c.weight
		}
	}
	return p
}

// At selects a league; equal steps of at, over [0, sum), select each by its weight.
func (p *Pool) At(at int) League {
	for i, weight := range p.weights {
		if at -= weight; at < 0 {
			return p.leagues[i]
		}
	}
	return p.leagues[0]
}
