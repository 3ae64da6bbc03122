package esoccer

import (
	"strings"
	"testing"
)

// named are the names of a fixture; "" leaves one out.
func named(league, home, away string) Names { return Names{League: league, Home: home, Away: away} }

// Names of games on a console and of simulated matches, as the provider and
// bookmakers have written them: every one is left out.
func TestRuleLeavesOut(t *testing.T) {
	for _, league := range []string{
		"Esoccer Battle - 8 mins play", "eSoccer Battle", "E-soccer - GT Leagues", "E Soccer Liga Pro", "Friendlies - E Soccer", "ESOCCER LIVE",
		"Esoccer Liga Pro - 12 mins play", "Esoccer GT Leagues \u2013 12 mins play", "Esoccer H2H GG League - 8 mins play", "Esoccer Battle Volta - 6 mins play",
		"eFootball", "EFOOTBALL League", "e-Football Champions", "e\u2011Football Cup", "e\u2013football", "E Football", "GT E Football League", "International - eFootball",
		"\uff45\uff26\uff4f\uff4f\uff54\uff42\uff41\uff4c\uff4c", "e\u200bFootball", "e-F\u00fatbol", "eFutebol Brasil", "Electronic Football",
		"Volta", "VOLTA Football", "Battle Volta", "Volta League 3x3", "Champions Volta - 6 mins",
		"Esports", "E-Sports League", "e-sport Battle", "Football Esports", "E Sports Cup",
		"Cyber Live Arena", "Cyber Cup", "Cyberfootball", "Cyber-Football", "Live Arena", "CYBER League",
		"FIFA 24", "FIFA24", "FIFA 21. Champions League", "FIFA '22", "FIFAe World Cup", "FIFA Volta", "EA FC", "EA FC 25", "EAFC 24", "EA Sports FC 25", "FC 24", "FC25 League", "FC 26 International",
		"GT Leagues", "GT League", "GT Sports League", "H2H GG League", "GG League", "H2H League",
		"Liga Pro 12 mins play", "Champions League - 10 min play", "Battle 8 min. play", "League (2x6 mins)", "League 2 x 4 minutes", "League 2\u00d75 min", "Battle - 8 mins",
		"Premier League SRL", "Simulated Reality League", "Simulation League", "Virtual Football", "Virtuals", "VirtualSoccer",
		"PES", "PES 2021", "eFootball PES 2020", "PES League",
		"ESportsBattle 2x4", "ESportsBattle", "ESportsBattle. Club World Cup", "E-SportsBattle", "eSportsLeague", "ESport-Battle", "Champions League 2x4", "H2H Liga-1. 2 x 6", "H2HLiga",
		"CyberLiga", "CyberStars", "eAdriatic League",
		"ePremier League", "e-Bundesliga", "eSerie A", "eLaLiga", "eMLS Cup", "eDivisie", "FIFA eWorld Cup", "eLibertadores",
	} {
		if rule := Rule(named(league, "Arsenal", "Chelsea")); !strings.HasSuffix(rule, ":league-name") {
			t.Errorf("league %q: rule %q", league, rule)
		}
	}
	for _, team := range []string{
		"Man City (stdm) Esports", "GremlinS (ZSK) Esports", "Arsenal eSports", "Arsenal E-Sports", "Arsenal Esoccer", "Arsenal eFootball", "E-Football Kings",
		"Arsenal SRL", "Arsenal srl", "Arsenal (SRL)", "Arsenal Virtual", "Virtual Arsenal", "Cyber Arsenal", "Arsenal (Cyber)", "Arsenal (Volta)", "Arsenal (PES)",
		"Arsenal (FIFA)", "Arsenal FIFA 24", "Arsenal PES 2021", "Arsenal EA FC 25", "Simulated Arsenal",
	} {
		if rule := Rule(named("England Premier League", team, "Chelsea")); !strings.HasSuffix(rule, ":home-name") {
			t.Errorf("home %q: rule %q", team, rule)
		}
		if rule := Rule(named("", "Chelsea", team)); !strings.HasSuffix(rule, ":away-name") {
			t.Errorf("away %q: rule %q", team, rule)
		}
	}
	for _, teams := range [][2]string{
		{"Man City (stdm)", "Real Madrid (ViTo)"}, {"Liverpool (zohan)", "Tottenham (AlBack)"}, {"Bayer 04 (Yarik_SH)", "Arsenal (Calvin)"},
		{"Napoli (Sergio650)", "AC Milan (NicolasRage)"}, {"Harrow (jonn7)", "Lagoa (Boulevard)"}, {"Harrow [dn1pro]", "Lagoa [Kray]"},
		{"Barcelona (Hardlight)", "Valencia (Critic)"}, {"France (Kray)", "Brazil (Shadow)"}, {"France (PUMA)", "Brazil (ISSE)"},
		{"Man City \uff08stdm\uff09", "Real Madrid (tati) "},
	} {
		if rule := Rule(named("Champions Cup", teams[0], teams[1])); rule != "nick:team-names" {
			t.Errorf("%s - %s: rule %q", teams[0], teams[1], rule)
		}
	}
}

// Real clubs and competitions whose names come near: none is left out.
func TestRuleKeepsFootball(t *testing.T) {
	for _, league := range []string{
		"England Premier League", "Ecuador Liga Pro", "Ecuador LigaPro Serie A", "Liga Pro", "Saudi Pro League", "Belgium Pro League", "Liga Portugal", "Spain LaLiga EA Sports",
		"Ireland EA Sports Cup", "FIFA World Cup", "FIFA Club World Cup 2025", "FIFA World Cup 2026", "FIFA U20 World Cup", "FIFA U-17 Women's World Cup", "FIFA Series",
		"Ghana Division Two - Volta", "Volta Region Division Two", "Ta\u00e7a Volta Redonda", "Upper Volta Cup", "Italy Serie D Girone E", "Group E Football Cup",
		"Eswatini Premier League", "eSwatini Premier League", "Estonia Esiliiga", "Estonia Esiliiga B", "Egypt Premier League", "Ethiopia Premier League", "Italy Serie A", "Euro U21",
		"Brazil Campeonato Brasileiro S\u00e9rie A", "Spain Primera Federaci\u00f3n", "Spain Catalonia Copa", "Soccer Australia", "Maine Soccer League", "Adelaide Soccer League",
		"World Club Friendlies", "Club Friendlies 2x45", "Friendlies 2x20", "Summer Cup 7x7", "Esportes Cup", "Copa Esportiva", "Torneig d'Esports", "Emirates Cup (2 x 30 mins)", "Peru Liga 1", "Hungary PestMegye", "Estonia Cup", "Live Score Cup",
		"Czech Divize E", "Norway 4. Divisjon", "Simferopol Cup", "Minas Gerais", "Germany Regionalliga",
	} {
		if rule := Rule(named(league, "Arsenal", "Chelsea")); rule != "" {
			t.Errorf("league %q: rule %q", league, rule)
		}
	}
	for _, team := range []string{
		"Volta Redonda", "Volta Redonda FC", "Volta\u00e7o", "Volta Rangers", "Esporte Clube Bahia", "Esporte de Patos", "Sport Recife", "UE Sant Juli\u00e0 Esportiu", "Lleida Esportiu",
		"Centre d'Esports Sabadell", "Centre d\u2019Esports L'Hospitalet", "Centre Esports Manresa", "Club d'Esports Europa",
		"Centre d'Esports Carroi", "Centre d&#39;Esports Carroi", "Centre d&apos;Esports Carroi", "Centre d`Esports Carroi", "Centre d\u00b4Esports Carroi", "Ateneu d\u00b4Esports", "Centre d\u2032Esports Carroi",
		"Centre D' Esports Carroi", "Centre d\u02bcEsports Carroi", "Ateneu d'Esports", "Club Esports Carroi", "Associaci\u00f3 Esports Encamp", "Associaci\u00f3 d'Esports Ordino", "Atl\u00e8tic d'Esports Escaldes",
		"Fundaci\u00f3 Esports Andorra", "Centre Catal\u00e0 d'Esports", "CE Carroi", "C.E. Carroi", "C. d'Esports Carroi", "Esportiva Guaxup\u00e9", "Gr\u00eamio Esportivo Brasil",
		"Cyberjaya City", "Cyberjaya University FC", "Virtus Entella", "Virtus Verona", "Virton", "EA Guingamp", "EA Saint-Lo", "Eastbourne", "E. Frankfurt", "Esbjerg fB", "Efbet Sofia",
		"Vis Pesaro", "Pescara", "Simurq PIK", "Simba SC", "FC 08 Homburg", "FC 07 Albstadt", "FC 24 Berlin", "Minsk", "Mineros", "Young Players", "Maine Soccer Academy", "Adelaide Soccer Club",
		"Brsrl United", "\u00d6srl IK", "ASRL", "Efootlers", "Ecalcione", "Playas", "Battle Town", "Sport Lisboa e Benfica", "Desporto e Futebol", "Palestra e Calcio", "GT Dribling", "Gg Aba", "Lokomotiv Electronic",
		"San Mart\u00edn (Tucum\u00e1n)", "Arsenal (W)", "Arsenal (U19)", "Arsenal (R)",
	} {
		if rule := Rule(named("England Premier League", team, "Chelsea")); rule != "" {
			t.Errorf("home %q: rule %q", team, rule)
		}
		if rule := Rule(named("", "Chelsea", team)); rule != "" {
			t.Errorf("away %q: rule %q", team, rule)
		}
	}
	for _, teams := range [][2]string{
		{"San Mart\u00edn (SJ)", "Gimnasia (Mendoza)"}, {"San Mart\u00edn (Tucum\u00e1n)", "Central C\u00f3rdoba (SdE)"}, {"Pumas (UNAM)", "Tigres (UANL)"}, {"Lobos (BUAP)", "Pumas (UNAM)"},
		{"Arsenal (ENG)", "Flamengo (BRA)"}, {"Nacional (Uruguay)", "Liverpool (England)"}, {"Barcelona (Guayaquil)", "Liverpool (Montevideo)"}, {"Arsenal (Sarand\u00ed)", "Racing (Avellaneda)"},
		{"Barcelona (W)", "Real Madrid (W)"}, {"Barcelona (Women)", "Real Madrid (fem)"}, {"Ajax (U19)", "PSV (U-21)"}, {"Benfica (B)", "Porto (B)"}, {"Spain (Futsal)", "Brazil (Futsal)"},
		{"Brazil (sub20)", "Chile (sub-20)"}, {"Spartak (Kostroma)", "Dinamo (Brest)"}, {"Ajax (Stdm)", "Rangers"}, {"Harrow (Town 09)", "Lagoa (Santa Rosa)"}, {"Fortuna (1905)", "Viktoria (1911)"},
		{"", "Real Madrid (ViTo)"}, {"Centre d'Esports Carroi", "Centre d'Esports Principat"}, {"Centre d`Esports Carroi (A)", "Centre d&#39;Esports Encamp (B)"},
	} {
		if rule := Rule(named("Champions Cup", teams[0], teams[1])); rule != "" {
			t.Errorf("%s - %s: rule %q", teams[0], teams[1], rule)
		}
	}
}
