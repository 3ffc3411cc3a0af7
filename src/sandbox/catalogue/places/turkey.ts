/** Cities of Türkiye. See place.ts for what the parts mean. */
import {type Places, place, RESORT, TOWN} from './place.js'

const TURKISH = [
  '* Otel',
  '* Konağı',
  '* Suites',
  'Otel *',
  '* Butik Otel',
  '* Evi',
  '* Park Otel',
  '* Residence',
]

export const TURKEY: Places = {
  101: place(
    100,
    'city',
    TOWN,
    TURKISH,
    'Çini|Lalezar|Kaftan|Erguvan|Yakamoz|Ihlamur|Şadırvan|Martı|Ağaçlı|Gülhatmi',
    'İstiklal Caddesi No: #, Beyoğlu|Divan Yolu Caddesi No: #, Fatih|Halaskargazi Caddesi No: #, Şişli|Bağdat Caddesi No: #, Kadıköy|Meşrutiyet Caddesi No: #, Beyoğlu|Ordu Caddesi No: #, Fatih',
  ),
  102: place(
    70,
    'city',
    TOWN,
    TURKISH,
    'Bozkır|Anka|Çankaya Işık|Gökçe|Kavaklı|Doruk|Yüce|Seğmen',
    'Tunalı Hilmi Caddesi No: #, Çankaya|Atatürk Bulvarı No: #, Kızılay|Cinnah Caddesi No: #, Çankaya|Hisarparkı Caddesi No: #, Ulus',
  ),
  103: place(
    80,
    'beach',
    TOWN,
    TURKISH,
    'Körfez Mavi|İmbat|Zeytindalı|Kordelya|Ege Rüzgârı|Palamut|Sakız|Üzümlü',
    'Cumhuriyet Bulvarı No: #, Konak|Şair Eşref Bulvarı No: #, Alsancak|Kıbrıs Şehitleri Caddesi No: #, Alsancak|Mithatpaşa Caddesi No: #, Balçova',
  ),
  104: place(
    110,
    'beach',
    RESORT,
    [...TURKISH.slice(0, 4), '* Beach Resort', '* Aqua', '* Garden Resort', '* Tatil Köyü'],
    'Turunç|Lara Kumsal|Portakal Çiçeği|Toros|Düden|Sedir|Akdeniz Işığı|Yıldızkum|Narenciye',
    'Atatürk Bulvarı No: #, Konyaaltı|Lara Caddesi No: #, Muratpaşa|Kenan Evren Bulvarı No: #, Lara|Hesapçı Sokak No: #, Kaleiçi',
  ),
  105: place(
    140,
    'beach',
    RESORT,
    [...TURKISH.slice(0, 4), '* Beach', '* Marina Otel', '* Bahçe', '* Koyu'],
    'Begonvil|Mandalina|Halikarnas Mavi|Değirmen|Yelken|Sünger|Ada Rüzgârı|Gümüşkıyı',
    'Neyzen Tevfik Caddesi No: #, Çarşı|Cumhuriyet Caddesi No: #, Kumbahçe|Atatürk Bulvarı No: #, Konacık|Adnan Menderes Caddesi No: #, Bitez',
  ),
  106: place(
    95,
    'city',
    TOWN,
    [...TURKISH.slice(0, 4), '* Cave Suites', '* Taş Ev', '* Mağara Otel', '* Teras'],
    'Güvercinlik|Peribacası|Balon|Kırmızı Vadi|Tüf|Kayısı|Nar Çiçeği|Şimşir',
    'Müze Caddesi No: #, Göreme|Aydınlı Mahallesi Gafferli Sokak No: #, Göreme|Orta Mahalle Uzundere Caddesi No: #, Göreme|İsali Mahallesi Kağnı Yolu No: #, Göreme',
  ),
  107: place(
    65,
    'city',
    TOWN,
    TURKISH,
    'Fındıklı|Boztepe Sis|Yayla|Hamsi|Kemençe|Zigana|Karayemiş|Ladin',
    'Kahramanmaraş Caddesi No: #, Ortahisar|Uzun Sokak No: #, Ortahisar|Devlet Sahil Yolu Caddesi No: #, Ortahisar|İran Caddesi No: #, Boztepe',
  ),
}
