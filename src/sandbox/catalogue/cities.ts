/** The destinations. Cities, zones, streets and sights are real; the hotels and tours made from them are invented. */
import type {City} from '../../contract/hotels.js'
import type {BoardCode} from '../../contract/identifiers.js'

export type Season = 'city' | 'beach' | 'winter_sun' | 'southern'

export type Place = ReturnType<typeof describedCity>['place']

const NAME_PATTERNS: Readonly<Record<string, string>> = {
  turkish: '* Otel|* Konağı|* Suites|Otel *|* Butik Otel|* Evi|* Park Otel|* Residence',
  'turkish-resort': '* Otel|* Konağı|* Suites|Otel *|* Beach Resort|* Aqua|* Garden Resort|* Tatil Köyü',
  'turkish-bay': '* Otel|* Konağı|* Suites|Otel *|* Beach|* Marina Otel|* Bahçe|* Koyu',
  cappadocian: '* Otel|* Konağı|* Suites|Otel *|* Cave Suites|* Taş Ev|* Mağara Otel|* Teras',
  english: 'The *|* House|* Hotel|* Rooms|Hotel *|* Lodge|* Court|* Quarters',
  french: 'Hôtel *|Maison *|Résidence *|Le *|Hôtel * Rive|Villa *|Suites *|Pavillon *',
  latin: 'Hotel *|* Boutique|Casa *|Residence *|* Suites|Grand *|* Palace|Hotel * Centro',
  german: 'Hotel *|* Haus|Gasthof *|* Residenz|* Suites|Pension *|* am Park|Stadthotel *',
  slavic: 'Hotel *|* Residence|Villa *|* Apartments|* Boutique|Hotel * Old Town|* House|* Suites',
  gulf: '* Hotel|* Towers|Qasr *|* Residence|* Suites|* Grand|Dar *|* Plaza',
  moroccan: 'Riad *|Dar *|Hotel *|* Suites|Villa *|Maison *|Ksar *|Jardin *',
}

/** Id and name, country, latitude, longitude, zone, price level, season, boards, style of names; then the lists. */
const TABLE = `
101 Istanbul, TR, 41.0082, 28.9784, Europe/Istanbul, 100, city, BB RO HB, turkish
  hotels Çini|Lalezar|Kaftan|Erguvan|Yakamoz|Ihlamur|Şadırvan|Martı|Ağaçlı|Gülhatmi
  streets İstiklal Caddesi No: #, Beyoğlu|Divan Yolu Caddesi No: #, Fatih|Halaskargazi Caddesi No: #, Şişli|Bağdat Caddesi No: #, Kadıköy|Meşrutiyet Caddesi No: #, Beyoğlu|Ordu Caddesi No: #, Fatih
  sights Topkapı Palace|Basilica Cistern|Grand Bazaar|Süleymaniye Mosque|Galata and Karaköy
  water the Bosphorus
102 Ankara, TR, 39.9334, 32.8597, Europe/Istanbul, 70, city, BB RO HB, turkish
  hotels Bozkır|Anka|Çankaya Işık|Gökçe|Kavaklı|Doruk|Yüce|Seğmen
  streets Tunalı Hilmi Caddesi No: #, Çankaya|Atatürk Bulvarı No: #, Kızılay|Cinnah Caddesi No: #, Çankaya|Hisarparkı Caddesi No: #, Ulus
  sights Ankara Castle|Museum of Anatolian Civilizations|Hamamönü|Anıtkabir
103 İzmir, TR, 38.4237, 27.1428, Europe/Istanbul, 80, beach, BB RO HB, turkish
  hotels Körfez Mavi|İmbat|Zeytindalı|Kordelya|Ege Rüzgârı|Palamut|Sakız|Üzümlü
  streets Cumhuriyet Bulvarı No: #, Konak|Şair Eşref Bulvarı No: #, Alsancak|Kıbrıs Şehitleri Caddesi No: #, Alsancak|Mithatpaşa Caddesi No: #, Balçova
  sights Ephesus|Kemeraltı Bazaar|Agora of Smyrna|Şirince village
  water the Gulf of İzmir
104 Antalya, TR, 36.8969, 30.7133, Europe/Istanbul, 110, beach, AI HB BB FB, turkish-resort
  hotels Turunç|Lara Kumsal|Portakal Çiçeği|Toros|Düden|Sedir|Akdeniz Işığı|Yıldızkum|Narenciye
  streets Atatürk Bulvarı No: #, Konyaaltı|Lara Caddesi No: #, Muratpaşa|Kenan Evren Bulvarı No: #, Lara|Hesapçı Sokak No: #, Kaleiçi
  sights Kaleiçi|Aspendos|Perge|Düden Waterfalls|Termessos
  water the Mediterranean
105 Bodrum, TR, 37.0344, 27.4305, Europe/Istanbul, 140, beach, AI HB BB FB, turkish-bay
  hotels Begonvil|Mandalina|Halikarnas Mavi|Değirmen|Yelken|Sünger|Ada Rüzgârı|Gümüşkıyı
  streets Neyzen Tevfik Caddesi No: #, Çarşı|Cumhuriyet Caddesi No: #, Kumbahçe|Atatürk Bulvarı No: #, Konacık|Adnan Menderes Caddesi No: #, Bitez
  sights Bodrum Castle|Mausoleum at Halicarnassus|Gümüşlük|Yalıkavak market
  water the Aegean
106 Göreme, TR, 38.6431, 34.8289, Europe/Istanbul, 95, city, BB RO HB, cappadocian
  hotels Güvercinlik|Peribacası|Balon|Kırmızı Vadi|Tüf|Kayısı|Nar Çiçeği|Şimşir
  streets Müze Caddesi No: #, Göreme|Aydınlı Mahallesi Gafferli Sokak No: #, Göreme|Orta Mahalle Uzundere Caddesi No: #, Göreme|İsali Mahallesi Kağnı Yolu No: #, Göreme
  sights Göreme Open-Air Museum|Derinkuyu underground city|Ihlara Valley|Uçhisar Castle|Love Valley
107 Trabzon, TR, 41.0027, 39.7168, Europe/Istanbul, 65, city, BB RO HB, turkish
  hotels Fındıklı|Boztepe Sis|Yayla|Hamsi|Kemençe|Zigana|Karayemiş|Ladin
  streets Kahramanmaraş Caddesi No: #, Ortahisar|Uzun Sokak No: #, Ortahisar|Devlet Sahil Yolu Caddesi No: #, Ortahisar|İran Caddesi No: #, Boztepe
  sights Sümela Monastery|Uzungöl|Hagia Sophia of Trabzon|Atatürk Köşkü
  water the Black Sea
201 London, GB, 51.5074, -0.1278, Europe/London, 190, city, BB RO HB, english
  hotels Lovage|Foxglove|Brimble|Hartwell Yard|Copper Lamp|Tansy|Old Ledger|Quillfeather
  streets # Gower Street, Bloomsbury|# Southwark Street, Bankside|# Cromwell Road, South Kensington|# Praed Street, Paddington|# Great Eastern Street, Shoreditch
  sights Tower of London|British Museum|Westminster|Greenwich|Borough Market
  water the Thames
202 Paris, FR, 48.8566, 2.3522, Europe/Paris, 180, city, BB RO HB, french
  hotels Aubépine|des Deux Lanternes|Clairval|du Moineau|Sainte-Ombre|des Tilleuls|Belloiseau|de la Plume
  streets # rue de Rivoli, 75004|# rue des Écoles, 75005|# rue Lepic, 75018|# avenue de Clichy, 75017|# rue de Charonne, 75011
  sights Louvre|Montmartre|Versailles|Sainte-Chapelle|Le Marais
  water the Seine
203 Rome, IT, 41.9028, 12.4964, Europe/Rome, 150, city, BB RO HB, latin
  hotels Melograno|Tre Rondini|Corallina|Vicolo Lungo|Biancospino|Sette Fonti|Lucciola|Ginestra
  streets Via Nazionale #|Via Cavour #|Via del Corso #|Via dei Serpenti #|Viale di Trastevere #
  sights Colosseum and Forum|Vatican Museums|Borghese Gallery|Trastevere|Appian Way
204 Barcelona, ES, 41.3874, 2.1686, Europe/Madrid, 140, beach, BB RO HB, latin
  hotels Garbí|Tres Taronges|Merlot Blau|Rambleta|Oreneta|Mirall|Baladre|Marinada
  streets Carrer de Balmes, #|Carrer d’Aragó, #|Gran Via de les Corts Catalanes, #|Avinguda del Paral·lel, #|Carrer de Mallorca, #
  sights Sagrada Família|Park Güell|Gothic Quarter|Montserrat|Casa Batlló
  water the Mediterranean
205 Berlin, DE, 52.52, 13.405, Europe/Berlin, 110, city, BB RO HB, german
  hotels Lindenspatz|Kranich|Mühlbach|Rotdorn|Sternwarte|Alter Speicher|Havelblick|Kupferkanne
  streets Torstraße #, Mitte|Kantstraße #, Charlottenburg|Schönhauser Allee #, Prenzlauer Berg|Oranienstraße #, Kreuzberg
  sights Museum Island|Reichstag and Mitte|East Side Gallery|Potsdam|Kreuzberg
  water the Spree
206 Vienna, AT, 48.2082, 16.3738, Europe/Vienna, 125, city, BB RO HB, german
  hotels Fliederhof|Goldener Fink|Marillenbaum|Zum Kaffeesieder|Donauwelle|Rosenstiege|Nussbaumer|Silberlöffel
  streets Mariahilfer Straße #, 1060|Landstraßer Hauptstraße #, 1030|Währinger Straße #, 1090|Taborstraße #, 1020
  sights Schönbrunn Palace|Hofburg|Belvedere|Naschmarkt|Wachau Valley
  water the Danube
207 Amsterdam, NL, 52.3676, 4.9041, Europe/Amsterdam, 165, city, BB RO HB, english
  hotels Zilverreiger|Tulpenhof|Blauwe Fiets|Oude Sluis|Windvaan|Koperen Ketel|Grachtlicht|Waterlelie
  streets Prinsengracht #|Overtoom #|Damrak #|Sarphatistraat #|Haarlemmerstraat #
  sights Rijksmuseum|Jordaan|Zaanse Schans|Anne Frank quarter
  water the canals
208 Prague, CZ, 50.0755, 14.4378, Europe/Prague, 85, city, BB RO HB, slavic
  hotels Zlatá Lípa|Modrý Kos|U Tří Hrušek|Křišťál|Stříbrný Most|Vltavan|Červená Růže|Jeřabina
  streets Vodičkova #, Praha 1|Ječná #, Praha 2|Vinohradská #, Praha 2|Štefánikova #, Praha 5
  sights Prague Castle|Jewish Quarter|Charles Bridge|Kutná Hora|Vyšehrad
  water the Vltava
209 Athens, GR, 37.9838, 23.7275, Europe/Athens, 95, beach, BB RO HB, latin
  hotels Αμυγδαλιά|Melissa|Κυκλάμινο|Glafki|Levanta|Thymari|Asteri Lefko|Elaia
  streets Ερμού #, Σύνταγμα|Πανεπιστημίου #|Αθηνάς #, Μοναστηράκι|Λεωφόρος Συγγρού #
  sights Acropolis|National Archaeological Museum|Plaka|Cape Sounion|Ancient Agora
  water the Saronic Gulf
210 Lisbon, PT, 38.7223, -9.1393, Europe/Lisbon, 115, beach, BB RO HB, latin
  hotels Andorinha|Azulejo Azul|Sete Vielas|Maresia|Jacarandá|Farol Velho|Limoeiro|Calçadinha
  streets Rua Augusta #, Baixa|Avenida da Liberdade #|Rua da Prata #|Rua do Século #, Bairro Alto
  sights Belém|Alfama|Sintra|São Jorge Castle|LX Factory
  water the Tagus
211 Kraków, PL, 50.0614, 19.9366, Europe/Warsaw, 75, city, BB RO HB, slavic
  hotels Jarzębina|Złoty Szczygieł|Pod Żurawiem|Świetlik|Kasztanowy Dwór|Wiślany|Łabędź|Źródło
  streets ul. Floriańska #, Stare Miasto|ul. Józefa #, Kazimierz|ul. Długa #, Kleparz|ul. Krakowska #, Kazimierz
  sights Wawel Castle|Kazimierz|Wieliczka Salt Mine|Nowa Huta
  water the Vistula
212 Sarajevo, BA, 43.8563, 18.4131, Europe/Sarajevo, 60, city, BB RO HB, slavic
  hotels Šeher|Ćilim|Bijela Lađa|Đulistan|Behar|Žute Dunje|Sebilj Kuća|Mahala
  streets Ferhadija #|Titova #|Mula Mustafe Bašeskije #|Zmaja od Bosne #
  sights Baščaršija|Tunnel of Hope|Yellow Fortress|Vrelo Bosne
301 Dubai, AE, 25.2048, 55.2708, Asia/Dubai, 170, winter_sun, BB RO HB FB, gulf
  hotels Al Lulu Bay|Ghaf Noor|Sahel|Barjeel|Marsa Dhow|Saqr Heights|Rimal|Zahra Creek
  streets # Al Rigga Road, Deira|# Sheikh Zayed Road, Trade Centre|# Al Mankhool Road, Bur Dubai|# Al Marsa Street, Dubai Marina
  sights Burj Khalifa|Al Fahidi|Desert dunes|Gold Souk|Hatta
  water Dubai Creek
302 Doha, QA, 25.2854, 51.531, Asia/Qatar, 150, winter_sun, BB RO HB, gulf
  hotels Al Sadaf|Corniche Noor|Fanar Bay|Murjan|Wahat Doha|Sidra Garden|Bawadi|Shurooq
  streets # Al Corniche Street, West Bay|# Al Kinana Street, Najma|# Wadi Musheireb Street, Mushayrib|# Al Sadd Street, Al Sadd
  sights Museum of Islamic Art|Souq Waqif|Katara|Inland Sea
  water Doha Bay
303 Kuwait City, KW, 29.3759, 47.9774, Asia/Kuwait, 140, winter_sun, BB RO HB, gulf
  hotels Al Boom|Safat Noor|Bneid Sands|Failaka View|Souk Lantern|Al Yaal|Kharaz|Marina Rih
  streets # Fahad Al-Salem Street, Al Qiblah|# Salem Al-Mubarak Street, Salmiya|# Arabian Gulf Street, Sharq|# Bneid Al-Gar Street
  sights Kuwait Towers|Grand Mosque|Souq Al-Mubarakiya|Failaka Island
  water the Gulf
304 Makkah, SA, 21.3891, 39.8579, Asia/Riyadh, 130, city, BB HB FB RO, gulf
  hotels Rawdat Noor|Bab Sakinah|Wadi Salam|Ajyad Bahaa|Dhiyafa|Rihab Noor|Masar|Taybah Light
  streets # Ibrahim Al Khalil Road, Ajyad|# Ajyad Street|# Al Masjid Al Haram Road|# Al Aziziyah Main Street
  sights Clock Tower Museum|Jabal al-Nour|Makkah Museum|Taif
305 Cairo, EG, 30.0444, 31.2357, Africa/Cairo, 70, winter_sun, BB RO HB, gulf
  hotels Felucca|Lotus Nile|Qamar Gezira|Zamalek Noor|Heron Reed|Papyrus Court|Khan Yasmin|Sunbird
  streets # Talaat Harb Street, Downtown|# 26th of July Street, Zamalek|# Corniche El Nil, Garden City|# El Tahrir Street, Dokki
  sights Pyramids of Giza|Egyptian Museum|Khan el-Khalili|Coptic Cairo|Saqqara
  water the Nile
306 Baku, AZ, 40.4093, 49.8671, Asia/Baku, 75, city, BB RO HB, slavic
  hotels Xəzər Mehi|Nərgiz|İçəri Daş|Gilavar|Alovçu|Narınc|Ağ Şəhər İşığı|Zəfəran
  streets Nizami küçəsi #|İstiqlaliyyət küçəsi #|Neftçilər prospekti #|Füzuli küçəsi #
  sights Icherisheher|Gobustan|Heydar Aliyev Center|Yanar Dag
  water the Caspian
307 Tbilisi, GE, 41.7151, 44.8271, Asia/Tbilisi, 60, city, BB RO HB, slavic
  hotels Vazi|Kera Courtyard|Mtkvari Lights|Chonguri|Narikala Fig|Tamada|Sololaki Garden|Gvino
  streets # Shota Rustaveli Avenue|# Kote Afkhazi Street, Sololaki|# Davit Aghmashenebeli Avenue|# Mikheil Tamarashvili Avenue
  sights Narikala Fortress|Mtskheta|Abanotubani baths|Kakheti vineyards
401 New York, US, 40.7128, -74.006, America/New_York, 230, city, BB RO HB, english
  hotels Tinker & Vale|Harrow Street|Marlinspike|Greycoat|Lantern Yard|Juniper East|Blue Ferry|Ashgrove
  streets # Lexington Avenue|# West 44th Street|# Bowery|# Broadway|# Pearl Street
  sights Metropolitan Museum|Harlem|Brooklyn Bridge|Central Park|Ellis Island
  water the Hudson
402 São Paulo, BR, -23.5505, -46.6333, America/Sao_Paulo, 90, southern, BB RO HB, latin
  hotels Ipê Amarelo|Jabuticaba|Sabiá|Garoa|Pitangueira|Cafezal|Beija-Flor|Araucária
  streets Avenida Paulista, #, Bela Vista|Rua Augusta, #, Consolação|Alameda Santos, #, Jardins|Rua Haddock Lobo, #, Cerqueira César
  sights Pinacoteca|Avenida Paulista|Vila Madalena|Mercado Municipal
403 Tokyo, JP, 35.6762, 139.6503, Asia/Tokyo, 150, city, BB RO HB, english
  hotels Kawasemi|Hinoki Stay|Tsubame|Komorebi Gate|Akatsuki|Suzuran|Momiji Lane|Hotaru
  streets Ginza 3-#, Chuo-ku|Asakusa 2-#, Taito-ku|Nishi-Shinjuku 7-#, Shinjuku-ku|Shibuya 1-#, Shibuya-ku
  sights Asakusa|Meiji Shrine|Tsukiji Outer Market|Nikkō|Kamakura
  water the Sumida
404 Bangkok, TH, 13.7563, 100.5018, Asia/Bangkok, 70, winter_sun, BB RO HB, english
  hotels Baan Lamduan|Rachawadi|Chao Rua|Siam Firefly|Dok Khem|Bua Luang|Saphan Noi|Nok Yung
  streets # Sukhumvit Road, Khlong Toei|# Charoen Krung Road, Bang Rak|# Silom Road, Bang Rak|# Phra Athit Road, Phra Nakhon
  sights Grand Palace|Wat Pho|Ayutthaya|Chinatown|Damnoen Saduak
  water the Chao Phraya
405 Singapore, SG, 1.3521, 103.8198, Asia/Singapore, 175, city, BB RO HB, english
  hotels Kingfisher Quay|Rain Tree|Five Shophouses|Tembusu|Merbau|Kopi & Lantern|Straits Heron|Frangipani
  streets # Beach Road|# South Bridge Road|# Serangoon Road|# Bencoolen Street
  sights Gardens by the Bay|Little India|Pulau Ubin|Chinatown
  water Marina Bay
406 Kathmandu, NP, 27.7172, 85.324, Asia/Kathmandu, 45, city, BB RO HB FB, english
  hotels Danfe|Lali Gurans|Snow Prayer|Ganga Courtyard|Singing Bowl|Kasthamandap View|Yeti Garden|Sayapatri
  streets # Thamel Marg, Thamel|# Durbar Marg|# Lazimpat Road|# Freak Street, Basantapur
  sights Boudhanath|Patan Durbar Square|Bhaktapur|Swayambhunath|Nagarkot
407 Sydney, AU, -33.8688, 151.2093, Australia/Sydney, 160, southern, BB RO HB, english
  hotels Banksia|Kookaburra Wharf|Jacaranda Rise|Saltbush|The Old Ferry|Bluegum|Sandstone Yard|Magpie
  streets # Pitt Street|# George Street, The Rocks|# Oxford Street, Darlinghurst|# Victoria Street, Potts Point
  sights Opera House|The Rocks|Blue Mountains|Bondi to Coogee
  water Sydney Harbour
408 Marrakesh, MA, 31.6295, -7.9811, Africa/Casablanca, 75, winter_sun, BB RO HB, moroccan
  hotels Zellige|Citronnier|Al Houda|Fleur d’Atlas|Safran Rouge|Menthe|Tadelakt|Lune d’Ourika
  streets # Derb Dabachi, Médina|# Avenue Mohammed V, Guéliz|# Rue de la Kasbah, Kasbah|# Avenue Hassan II, Guéliz
  sights Bahia Palace|Majorelle Garden|Ourika Valley|Ben Youssef Madrasa|Agafay Desert
`

const DESCRIBED = new Map(
  TABLE.trim()
    .split(/\n(?=\d)/)
    .map(describedCity)
    .map(each => [each.city.id, each]),
)

export const CITIES: readonly City[] = [...DESCRIBED.values()].map(({city}) => city)

export function findCity(cityId: number): City | undefined {
  return DESCRIBED.get(cityId)?.city
}

/** What the hotels and tours of the city are made from. Throws RangeError for an id that no city has. */
export function placeOf(cityId: number): Place {
  const found = DESCRIBED.get(cityId)
  if (!found) throw new RangeError(`no city has the id ${cityId}`)
  return found.place
}

function describedCity(text: string) {
  const [head = '', ...lists] = text.split('\n')
  const [id = '', country = '', latitude, longitude, timezone = '', level, season, boards = '', style = ''] =
    head.split(', ')
  const [, number, name = ''] = /^(\d+) (.+)$/.exec(id) ?? []
  const named: Record<string, string | undefined> = Object.fromEntries(
    lists.map(line => line.trim().split(/ (.*)/, 2)),
  )
  const list = (key: string) => (named[key] ?? '').split('|')
  const coordinates = {latitude: Number(latitude), longitude: Number(longitude)}
  const city: City = {id: Number(number), type: 'CITY', name, country_code: country, ...coordinates, timezone}
  const place = {
    /** Price level in percent of the table in search-offers.ts. */
    level: Number(level),
    season: season as Season,
    /** The most usual first. */
    boards: boards.split(' ') as BoardCode[],
    /** Of hotel names; `*` is one of `words`. */
    patterns: (NAME_PATTERNS[style] ?? '').split('|'),
    words: list('hotels'),
    /** `#` is the house number. */
    streets: list('streets'),
    sights: list('sights'),
    /** What boats go on, with its article. */
    water: named.water,
  }
  return {city, place}
}
