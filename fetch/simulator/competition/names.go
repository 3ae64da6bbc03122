package competition

// naming is how the clubs and players of a region are named.
type naming struct {
	towns  []string
	forms  []string // "%" stands for the town
	given  []string
	family []string
}

func (t naming) player(n int) string {
	family := n % len(t.family)
	given := (n / len(t.family)) % len(t.given)
	name := t.given[given] + " " + t.family[family]
	if round := n / len(t.family) / len(t.given); round > 0 { // the list repeats
		name += " " + t.family[(family+round)%len(t.family)]
	}
	return name
}

// The names below are invented. Some are difficult on purpose: words that a parser may
// take for a separator (" or ", " - ", " & ", " v "), letters outside ASCII, an
// apostrophe, a number.

var english = naming{
	towns: []string{"Harrowmere", "Stonebridge", "Ashcombe", "Wetherby Vale", "Kingsmoor", "Oldhaven", "Brackenfield", "Thornwick",
		"Millbrook", "Eastholme", "Farrowdale", "Greywater", "Langmere", "Marlpool", "Northwell", "Pendlestone", "Quarrybank",
		"Redmarsh", "Saltersby", "Tarnbrook", "Upper Deane", "Westerleigh", "Yarmoor", "Coldbeck"},
	forms:  []string{"% Town", "% United", "% FC", "% Rovers", "% City", "% Athletic", "% or Bust", "AFC %", "% Wanderers", "% - Albion", "Queen's Park %"},
	given:  []string{"Jack", "Harry", "Callum", "Marcus", "Ollie", "Reece", "Tyrone", "Lewis", "Nathan", "Kieran", "Sam", "Ade", "Jordan"},
	family: []string{"Ashdown", "Birkett", "Copley", "Dunmore", "Eckersley", "Fairhurst", "Garside", "Hebden", "Illingworth", "Jessop", "Kershaw", "Lofthouse", "Mellor", "Nuttall", "O'Rourke", "Pilling", "Ramsbottom", "Sutcliffe"},
}

var german = naming{
	towns: []string{"Altenfurt", "Bärenthal", "Düsterwald", "Eichenau", "Falkenstein", "Grünhagen", "Hohenbrück", "Itzfelde", "Jägershof",
		"Königsaue", "Lindow", "Mühlacker", "Neuwerder", "Oberstadt", "Priebusch", "Quellendorf", "Rabenau", "Süderholz"},
	forms:  []string{"FC %", "SV %", "TSV %", "% 09", "VfB %", "SpVgg %", "Eintracht %", "TuS % 1919", "SG %/Nord"},
	given:  []string{"Lukas", "Jonas", "Felix", "Jürgen", "Tobias", "Maximilian", "Emre", "Moritz", "Sören"},
	family: []string{"Abendroth", "Böttcher", "Dörfler", "Eberhardt", "Fröhlich", "Grünewald", "Hallstein", "Jäckel", "Köhler", "Lindemann", "Müllner", "Nößler", "Osterhagen", "Pfaff", "Rüdiger", "Strauß", "Trautwein"},
}

var spanish = naming{
	towns: []string{"Almoradiel", "Benacosta", "Cañaveral", "Duranza", "El Peñón", "Fuenterrey", "Guadamira", "Hontalba", "Ibarrena",
		"Jaraluz", "La Ribera", "Montalar", "Navarejo", "Olmedilla", "Puertosol", "Requejada", "Sanlúcar Alto", "Torreblanca", "Urdiales", "Villamayor"},
	forms:  []string{"CD %", "% CF", "Real %", "UD %", "Atlético %", "Deportivo %", "SD %", "Unión % - San Blas"},
	given:  []string{"Álvaro", "Íñigo", "Javier", "José Luis", "Marcos", "Nicolás", "Pablo", "Raúl", "Sergio"},
	family: []string{"Aranguren", "Beltrán", "Cifuentes", "Domínguez", "Echeverría", "Fuentes", "Galdós", "Herrera", "Ibáñez", "Jurado", "Lozano", "Muñoz", "Núñez", "Ordóñez", "Peñalver", "Quintanilla", "Ruiz"},
}

var latin = naming{
	towns: []string{"Ñandú", "Arroyo Seco", "Bella Loma", "Cerro Largo", "Dos Ríos", "Estrella", "Fortaleza", "Guaraní Sur", "Huayra",
		"Independencia", "Jacarandá", "La Quebrada", "Maipo Alto", "Nahuel", "Once Unidos", "Pampa Verde", "Quillén", "Río Turbio"},
	forms:  []string{"Club %", "% Juniors", "Sportivo %", "Deportivo %", "% FC", "Vida o Muerte %", "Racing de %", "San Martín (%)"},
	given:  []string{"Matías", "Facundo", "Agustín", "Juan Cruz", "Leonel", "Ezequiel", "Thiago", "Braian"},
	family: []string{"Acosta", "Benítez", "Cáceres", "Da Silva", "Escalante", "Figueroa", "Godoy", "Ibarra", "Ledesma", "Maldonado", "Ojeda", "Peralta", "Quiroga", "Sosa", "Villalba", "Zárate"},
}

var italian = naming{
	towns: []string{"Acquaviva", "Borgomare", "Castelforte", "Doria", "Este Nuova", "Fontanella", "Ghibellina", "Isola Verde", "Lagonero",
		"Montesole", "Nocera Alta", "Ortigiana", "Portoalto", "Quattrocase", "Rivabella", "San Donato", "Torrefiore", "Urbania", "Valdarno", "Zagarola"},
	forms:  []string{"US %", "% Calcio", "AC %", "Virtus %", "ASD %", "Pro %", "%"},
	given:  []string{"Alessio", "Davide", "Federico", "Gianluca", "Lorenzo", "Mattia", "Niccolò", "Simone"},
	family: []string{"Albanesi", "Bortolotti", "Carbone", "D'Angelo", "Esposito", "Fabbri", "Gentileschi", "Lunardi", "Marchetti", "Nardi", "Orlandini", "Pellegrini", "Rinaldi", "Sartori", "Tedesco", "Vitale"},
}

var french = naming{
	towns: []string{"Argenteuil-le-Vieux", "Beaulieu", "Chantemerle", "Durance", "Épinay", "Fontcouverte", "Grandlieu", "Hauteville", "L'Étang",
		"Montclair", "Noirmont", "Orval", "Pontarlier-Sud", "Roquefeuil", "Saint-Brévin", "Trévoux", "Vieux-Port", "Yvoire"},
	forms:  []string{"FC %", "AS %", "Stade %", "US %", "Olympique %", "% Foot", "Entente % - Bocage"},
	given:  []string{"Adrien", "Benoît", "Clément", "François", "Hugo", "Jérémy", "Kévin", "Moussa", "Théo"},
	family: []string{"Aubert", "Bélanger", "Chevalier", "Delacroix", "Etienne", "Fournier", "Girard", "Hervé", "Jacquet", "Lefèvre", "Mercier", "N'Diaye", "Olivier", "Perrin", "Rousseau", "Tessier"},
}

var portuguese = naming{
	towns: []string{"Águas Claras", "Barra Funda", "Caxambu", "Douradina", "Espírito Novo", "Figueira", "Guararema", "Ilha Grande", "Jataí",
		"Lagoa Santa", "Maracanã do Norte", "Nova Aliança", "Ouro Fino", "Pirajuba", "Quatro Rios", "Ribeirão", "São Brás", "Taquari", "União", "Vila Real"},
	forms:  []string{"% FC", "AD %", "SC %", "% EC", "Grêmio %", "% Clube", "CF % & Amigos"},
	given:  []string{"João", "Luís", "Thiago", "Caio", "Éder", "Gabriel", "Matheus", "Rui"},
	family: []string{"Almeida", "Barbosa", "Conceição", "Duarte", "Esteves", "Fonseca", "Gonçalves", "Lourenço", "Magalhães", "Nogueira", "Pinheiro", "Queirós", "Ramalho", "Simões", "Teixeira", "Vasconcelos"},
}

var nordic = naming{
	towns: []string{"Åsvik", "Bjørnestad", "Dalsfors", "Ekebyholm", "Fjellheim", "Grønnevik", "Hælum", "Ískörð", "Jönsbo", "Kvarnsund",
		"Lövnäs", "Mørkdal", "Norrtorp", "Östervåla", "Rødby Nord", "Skärhamn", "Tromvik", "Ulvøy"},
	forms:  []string{"% IK", "IF %", "% BK", "% FF", "IL %", "% Idrott"},
	given:  []string{"Anders", "Bjørn", "Emil", "Håkon", "Jakob", "Lars", "Mikkel", "Sigurður", "Øyvind"},
	family: []string{"Andreasson", "Bakken", "Dahlgren", "Eriksen", "Fjeldstad", "Gunnarsson", "Hægstad", "Isaksson", "Jørgensen", "Kjær", "Lindström", "Mäkinen", "Nygård", "Østergaard", "Sæther", "Þórsson"},
}

var slavic = naming{
	towns: []string{"Brzeźno", "Černá Voda", "Dąbrówka", "Grodziec", "Hradčany", "Jezerce", "Kamień", "Lipník", "Łąkowo", "Mokrá",
		"Novigrad", "Ostrówek", "Podhrad", "Řečice", "Šumice", "Świerk", "Velika Luka", "Žďárek"},
	forms:  []string{"FK %", "% 1923", "Sparta %", "NK %", "TJ Sokol %", "Górnik %", "Dynamo %"},
	given:  []string{"Adam", "Dušan", "Jakub", "Łukasz", "Marek", "Ondřej", "Paweł", "Željko"},
	family: []string{"Bartoš", "Čermák", "Dvořák", "Gajewski", "Horvat", "Jankowski", "Kovačić", "Łaskawiec", "Małecki", "Novotný", "Petrović", "Růžička", "Šimunić", "Świątek", "Wójcik", "Žukowski"},
}

var turkish = naming{
	towns: []string{"Akçaköy", "Beyazşehir", "Çamlık", "Doğanpınar", "Eskihisar", "Gümüşova", "Ilıca", "Karadere", "Örenkent", "Şirinyer",
		"Taşköprü Yeni", "Üçtepe", "Yeşilova", "İncirli", "Kızılırmak", "Mavişehir"},
	forms:  []string{"%spor", "% Belediyespor", "% FK", "% Gençlerbirliği", "% Idmanyurdu"},
	given:  []string{"Ahmet", "Burak", "Çağlar", "Emre", "Hakan", "İlker", "Oğuzhan", "Şükrü"},
	family: []string{"Akgün", "Bozkurt", "Çelikel", "Demirci", "Erdoğmuş", "Güneş", "Işık", "Karadağ", "Öztürk", "Polat", "Şahin", "Türkmen", "Uçar", "Yıldırım", "Yücel"},
}

var japanese = naming{
	towns: []string{"Aosaki", "Fujinomori", "Hamanaka", "Izumidai", "Kitahara", "Minamino", "Nagareyama East", "Ōtsuki", "Sakuragawa",
		"Tōhama", "Umibe", "Wakamatsu", "Yamanobe", "東浜"},
	forms:  []string{"% SC", "FC %", "% United", "Vento %", "% 1968"},
	given:  []string{"Daichi", "Haruto", "Kaito", "Ren", "Shōta", "Takumi", "Yūki"},
	family: []string{"Arakawa", "Fujishiro", "Hayakawa", "Ishiguro", "Kawanabe", "Matsuoka", "Nishimori", "Ōkubo", "Sawamura", "Tachibana", "Uehara", "Watari", "Yanagi", "Zaizen", "Morishige"},
}

var arabic = naming{
	towns: []string{"Al Bahr", "Al Fajr", "Al Jisr", "Al Manara", "Al Nakhil", "Al Qalaa", "Al Rawda", "Al Sahel", "Al Wadi", "Bir Zahra",
		"Dar Salam", "Kafr Nour", "Madinat Zayn", "Ras Hadid", "Shams", "Tell Amal", "Umm Luluah", "Wahat"},
	forms:  []string{"% SC", "% Club", "Nasr %", "% FC"},
	given:  []string{"Ahmed", "Faisal", "Hassan", "Khaled", "Mahmoud", "Omar", "Saad", "Youssef"},
	family: []string{"Al-Amiri", "Al-Bulushi", "Abdelrahman", "El Sayed", "Fathi", "Gomaa", "Hamdan", "Ibrahim", "Jaber", "Al-Khatib", "Mansour", "Nasser", "Al-Otaibi", "Ramadan", "Saleh", "Tawfik"},
}

var nations = naming{
	towns: []string{"Vasconia", "Lapland North", "Transvaria", "Isle of Wray", "Karelland", "Montserra", "Nordmark", "Occitania", "Ruthenland",
		"Sapmi East", "Tyrolia", "Zanzara", "Bosnia or Herz Regions", "Trinidad - Tobago Isles", "Padania", "Silesia", "Moravia South", "Corsaria", "Frisia", "Galicia Nova"},
	forms:  []string{"%"},
	given:  english.given,
	family: nordic.family,
}

var gamers = naming{
	towns: []string{"Man Harrow (Nikos)", "Real Litoral (stdm)", "Elbe (AlBak)", "Adriatica (Calvo)", "Kingsmoor (CRAZE)", "Lagoa (jonn7)",
		"Atlantique (Boulevard)", "Oldhaven (dn1pro)", "Montesole (Skrip)", "Vieux-Port (Kray)", "Donau (ZSK)", "Redmarsh (MOT)",
		"Stonebridge (Leon)", "Ouro Fino (Hulk)", "Eichenau (Sm1le)", "Puertosol (tati)"},
	forms: []string{"% Esports"},
}

// avatars are teams of video games whose names do not show it.
var avatars = naming{
	towns: []string{"Man Harrow", "Real Litoral", "Elbe", "Adriatica", "Kingsmoor", "Lagoa", "Atlantique", "Oldhaven", "Montesole", "Vieux-Port",
		"Donau", "Redmarsh"},
	forms: []string{"%"},
}

// nicks are teams named only after the nickname of who plays them.
var nicks = naming{
	towns: []string{"Man Harrow (nikos7)", "Real Litoral (stdm)", "Elbe (AlBak)", "Adriatica (calvo_)", "Kingsmoor (jonn7)", "Lagoa (dn1pro)",
		"Atlantique (sm1le)", "Oldhaven (tati)", "Montesole (SkriP)", "Vieux-Port (kray)", "Donau (zohan)", "Redmarsh (leoN)"},
	forms: []string{"%"},
}

var robots = naming{
	towns: []string{"Harrowmere", "Kingsmoor", "Thornwick", "Ashcombe", "Redmarsh", "Greywater", "Oldhaven", "Langmere", "Saltersby", "Coldbeck"},
	forms: []string{"% SRL"},
}
