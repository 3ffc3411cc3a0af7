/** Name patterns that several regions share; `*` is the hotel's own word. */
export const ENGLISH = [
  'The *',
  '* House',
  '* Hotel',
  '* Rooms',
  'Hotel *',
  '* Lodge',
  '* Court',
  '* Quarters',
]
export const LATIN = [
  'Hotel *',
  '* Boutique',
  'Casa *',
  'Residence *',
  '* Suites',
  'Grand *',
  '* Palace',
  'Hotel * Centro',
]
export const SLAVIC = [
  'Hotel *',
  '* Residence',
  'Villa *',
  '* Apartments',
  '* Boutique',
  'Hotel * Old Town',
  '* House',
  '* Suites',
]
