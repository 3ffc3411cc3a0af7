/** What there is to see in each city, by city id. The places are real; the tours to them (tours.ts) are invented. */
export interface Sights {
  /** What a guided tour goes to. */
  readonly places: readonly string[]
  /** What a boat goes on, with its article, where there is water. */
  readonly water: string | undefined
}

export const SIGHTS: Readonly<Record<number, Sights>> = {
  101: sights(
    'Topkapı Palace|Basilica Cistern|Grand Bazaar|Süleymaniye Mosque|Galata and Karaköy',
    'the Bosphorus',
  ),
  102: sights('Ankara Castle|Museum of Anatolian Civilizations|Hamamönü|Anıtkabir'),
  103: sights('Ephesus|Kemeraltı Bazaar|Agora of Smyrna|Şirince village', 'the Gulf of İzmir'),
  104: sights('Kaleiçi|Aspendos|Perge|Düden Waterfalls|Termessos', 'the Mediterranean'),
  105: sights('Bodrum Castle|Mausoleum at Halicarnassus|Gümüşlük|Yalıkavak market', 'the Aegean'),
  106: sights('Göreme Open-Air Museum|Derinkuyu underground city|Ihlara Valley|Uçhisar Castle|Love Valley'),
  107: sights('Sümela Monastery|Uzungöl|Hagia Sophia of Trabzon|Atatürk Köşkü', 'the Black Sea'),
  201: sights('Tower of London|British Museum|Westminster|Greenwich|Borough Market', 'the Thames'),
  202: sights('Louvre|Montmartre|Versailles|Sainte-Chapelle|Le Marais', 'the Seine'),
  203: sights('Colosseum and Forum|Vatican Museums|Borghese Gallery|Trastevere|Appian Way'),
  204: sights('Sagrada Família|Park Güell|Gothic Quarter|Montserrat|Casa Batlló', 'the Mediterranean'),
  205: sights('Museum Island|Reichstag and Mitte|East Side Gallery|Potsdam|Kreuzberg', 'the Spree'),
  206: sights('Schönbrunn Palace|Hofburg|Belvedere|Naschmarkt|Wachau Valley', 'the Danube'),
  207: sights('Rijksmuseum|Jordaan|Zaanse Schans|Anne Frank quarter', 'the canals'),
  208: sights('Prague Castle|Jewish Quarter|Charles Bridge|Kutná Hora|Vyšehrad', 'the Vltava'),
  209: sights(
    'Acropolis|National Archaeological Museum|Plaka|Cape Sounion|Ancient Agora',
    'the Saronic Gulf',
  ),
  210: sights('Belém|Alfama|Sintra|São Jorge Castle|LX Factory', 'the Tagus'),
  211: sights('Wawel Castle|Kazimierz|Wieliczka Salt Mine|Nowa Huta', 'the Vistula'),
  212: sights('Baščaršija|Tunnel of Hope|Yellow Fortress|Vrelo Bosne'),
  301: sights('Burj Khalifa|Al Fahidi|Desert dunes|Gold Souk|Hatta', 'Dubai Creek'),
  302: sights('Museum of Islamic Art|Souq Waqif|Katara|Inland Sea', 'Doha Bay'),
  303: sights('Kuwait Towers|Grand Mosque|Souq Al-Mubarakiya|Failaka Island', 'the Gulf'),
  304: sights('Clock Tower Museum|Jabal al-Nour|Makkah Museum|Taif'),
  305: sights('Pyramids of Giza|Egyptian Museum|Khan el-Khalili|Coptic Cairo|Saqqara', 'the Nile'),
  306: sights('Icherisheher|Gobustan|Heydar Aliyev Center|Yanar Dag', 'the Caspian'),
  307: sights('Narikala Fortress|Mtskheta|Abanotubani baths|Kakheti vineyards'),
  401: sights('Metropolitan Museum|Harlem|Brooklyn Bridge|Central Park|Ellis Island', 'the Hudson'),
  402: sights('Pinacoteca|Avenida Paulista|Vila Madalena|Mercado Municipal'),
  403: sights('Asakusa|Meiji Shrine|Tsukiji Outer Market|Nikkō|Kamakura', 'the Sumida'),
  404: sights('Grand Palace|Wat Pho|Ayutthaya|Chinatown|Damnoen Saduak', 'the Chao Phraya'),
  405: sights('Gardens by the Bay|Little India|Pulau Ubin|Chinatown', 'Marina Bay'),
  406: sights('Boudhanath|Patan Durbar Square|Bhaktapur|Swayambhunath|Nagarkot'),
  407: sights('Opera House|The Rocks|Blue Mountains|Bondi to Coogee', 'Sydney Harbour'),
  408: sights('Bahia Palace|Majorelle Garden|Ourika Valley|Ben Youssef Madrasa|Agafay Desert'),
}

/** Places come as one text, parted by `|`, so that a city stays one line. */
function sights(places: string, water?: string): Sights {
  return {places: places.split('|'), water}
}
