/** Cities of the Gulf, Egypt, Azerbaijan and Georgia. See place.ts for what the parts mean. */
import {SLAVIC} from './patterns.js'
import {PILGRIM, type Places, place, TOWN} from './place.js'

const GULF = ['* Hotel', '* Towers', 'Qasr *', '* Residence', '* Suites', '* Grand', 'Dar *', '* Plaza']

export const GULF_AND_CASPIAN: Places = {
  301: place(
    170,
    'winter_sun',
    [...TOWN, 'FB'],
    GULF,
    'Al Lulu Bay|Ghaf Noor|Sahel|Barjeel|Marsa Dhow|Saqr Heights|Rimal|Zahra Creek',
    '# Al Rigga Road, Deira|# Sheikh Zayed Road, Trade Centre|# Al Mankhool Road, Bur Dubai|# Al Marsa Street, Dubai Marina',
  ),
  302: place(
    150,
    'winter_sun',
    TOWN,
    GULF,
    'Al Sadaf|Corniche Noor|Fanar Bay|Murjan|Wahat Doha|Sidra Garden|Bawadi|Shurooq',
    '# Al Corniche Street, West Bay|# Al Kinana Street, Najma|# Wadi Musheireb Street, Mushayrib|# Al Sadd Street, Al Sadd',
  ),
  303: place(
    140,
    'winter_sun',
    TOWN,
    GULF,
    'Al Boom|Safat Noor|Bneid Sands|Failaka View|Souk Lantern|Al Yaal|Kharaz|Marina Rih',
    '# Fahad Al-Salem Street, Al Qiblah|# Salem Al-Mubarak Street, Salmiya|# Arabian Gulf Street, Sharq|# Bneid Al-Gar Street',
  ),
  304: place(
    130,
    'city',
    PILGRIM,
    GULF,
    'Rawdat Noor|Bab Sakinah|Wadi Salam|Ajyad Bahaa|Dhiyafa|Rihab Noor|Masar|Taybah Light',
    '# Ibrahim Al Khalil Road, Ajyad|# Ajyad Street|# Al Masjid Al Haram Road|# Al Aziziyah Main Street',
  ),
  305: place(
    70,
    'winter_sun',
    TOWN,
    GULF,
    'Felucca|Lotus Nile|Qamar Gezira|Zamalek Noor|Heron Reed|Papyrus Court|Khan Yasmin|Sunbird',
    '# Talaat Harb Street, Downtown|# 26th of July Street, Zamalek|# Corniche El Nil, Garden City|# El Tahrir Street, Dokki',
  ),
  306: place(
    75,
    'city',
    TOWN,
    SLAVIC,
    'Xəzər Mehi|Nərgiz|İçəri Daş|Gilavar|Alovçu|Narınc|Ağ Şəhər İşığı|Zəfəran',
    'Nizami küçəsi #|İstiqlaliyyət küçəsi #|Neftçilər prospekti #|Füzuli küçəsi #',
  ),
  307: place(
    60,
    'city',
    TOWN,
    SLAVIC,
    'Vazi|Kera Courtyard|Mtkvari Lights|Chonguri|Narikala Fig|Tamada|Sololaki Garden|Gvino',
    '# Shota Rustaveli Avenue|# Kote Afkhazi Street, Sololaki|# Davit Aghmashenebeli Avenue|# Mikheil Tamarashvili Avenue',
  ),
}
