/** Cities elsewhere in the world. See place.ts for what the parts mean. */
import {ENGLISH, LATIN} from './patterns.js'
import {type Places, place, TOWN} from './place.js'

export const WORLD: Places = {
  401: place(
    230,
    'city',
    TOWN,
    ENGLISH,
    'Tinker & Vale|Harrow Street|Marlinspike|Greycoat|Lantern Yard|Juniper East|Blue Ferry|Ashgrove',
    '# Lexington Avenue|# West 44th Street|# Bowery|# Broadway|# Pearl Street',
  ),
  402: place(
    90,
    'southern',
    TOWN,
    LATIN,
    'Ipê Amarelo|Jabuticaba|Sabiá|Garoa|Pitangueira|Cafezal|Beija-Flor|Araucária',
    'Avenida Paulista, #, Bela Vista|Rua Augusta, #, Consolação|Alameda Santos, #, Jardins|Rua Haddock Lobo, #, Cerqueira César',
  ),
  403: place(
    150,
    'city',
    TOWN,
    ENGLISH,
    'Kawasemi|Hinoki Stay|Tsubame|Komorebi Gate|Akatsuki|Suzuran|Momiji Lane|Hotaru',
    'Ginza 3-#, Chuo-ku|Asakusa 2-#, Taito-ku|Nishi-Shinjuku 7-#, Shinjuku-ku|Shibuya 1-#, Shibuya-ku',
  ),
  404: place(
    70,
    'winter_sun',
    TOWN,
    ENGLISH,
    'Baan Lamduan|Rachawadi|Chao Rua|Siam Firefly|Dok Khem|Bua Luang|Saphan Noi|Nok Yung',
    '# Sukhumvit Road, Khlong Toei|# Charoen Krung Road, Bang Rak|# Silom Road, Bang Rak|# Phra Athit Road, Phra Nakhon',
  ),
  405: place(
    175,
    'city',
    TOWN,
    ENGLISH,
    'Kingfisher Quay|Rain Tree|Five Shophouses|Tembusu|Merbau|Kopi & Lantern|Straits Heron|Frangipani',
    '# Beach Road|# South Bridge Road|# Serangoon Road|# Bencoolen Street',
  ),
  406: place(
    45,
    'city',
    [...TOWN, 'FB'],
    ENGLISH,
    'Danfe|Lali Gurans|Snow Prayer|Ganga Courtyard|Singing Bowl|Kasthamandap View|Yeti Garden|Sayapatri',
    '# Thamel Marg, Thamel|# Durbar Marg|# Lazimpat Road|# Freak Street, Basantapur',
  ),
  407: place(
    160,
    'southern',
    TOWN,
    ENGLISH,
    'Banksia|Kookaburra Wharf|Jacaranda Rise|Saltbush|The Old Ferry|Bluegum|Sandstone Yard|Magpie',
    '# Pitt Street|# George Street, The Rocks|# Oxford Street, Darlinghurst|# Victoria Street, Potts Point',
  ),
  408: place(
    75,
    'winter_sun',
    TOWN,
    ['Riad *', 'Dar *', 'Hotel *', '* Suites', 'Villa *', 'Maison *', 'Ksar *', 'Jardin *'],
    'Zellige|Citronnier|Al Houda|Fleur d’Atlas|Safran Rouge|Menthe|Tadelakt|Lune d’Ourika',
    '# Derb Dabachi, Médina|# Avenue Mohammed V, Guéliz|# Rue de la Kasbah, Kasbah|# Avenue Hassan II, Guéliz',
  ),
}
