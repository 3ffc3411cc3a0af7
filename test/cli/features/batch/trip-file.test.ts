/** Trip files as people and spreadsheets write them, and the messages about their mistakes. */
import {expect, test} from 'vitest'
import {MOST_TRIPS, placeIn, readTripFile} from '../../../../src/cli/features/batch/trip-file.js'
import type {Choice, TripSearch} from '../../../../src/cli/features/batch/trips.js'
import {rejectionOf} from '../../../support/thrown.js'
import {CONTACT_CELLS, HEAD, mistakesOf, RECORD, read, rowOf} from './files.js'

const ROW = rowOf('A-1')

const SEARCH: TripSearch = {
  city: 101,
  check_in: '2030-06-01',
  check_out: '2030-06-04',
  rooms: [{adults: 2, children_ages: []}],
  client_nationality: 'TR',
  currency: 'EUR',
}

test('reads a trip of two rows, whose second row leaves out what the first says', async () => {
  const {trips, format} = await read('a.csv', `${HEAD}\n${ROW}\nA-1,,1.6.2030,3,Türkiye,,Jürgen,Groß,,,,,\n`)
  expect(format).toBe('csv')
  expect(trips).toHaveLength(1)
  expect(trips[0]).toMatchObject({
    line: 2,
    reference: 'A-1',
    offerId: undefined,
    search: SEARCH,
    choose: {},
    guestsAreRows: true,
    parsed: {
      client_reference_id: 'A-1',
      client_nationality: 'TR',
      contact: {name: 'Ayşe', phone_country_code: '+90'},
      guests: [
        {type: 'ADULT', name: 'Ayşe', is_lead: true},
        {type: 'ADULT', name: 'Jürgen', surname: 'Groß', is_lead: false},
      ],
      payment: {mode: 'account'},
    },
  })
})

test('names every mistake of every row by line and column', async () => {
  const rows = [
    'A-1,101,2030-06-01,2030-05-30,TR,EUR,Ayşe,Öğüt,Ayşe,Öğüt,a@example.com,+90,5321234567',
    'A-1,,2030-06-02,,,,,Groß,,,,,',
    '',
    ',101,,,,,x,y,,,,,',
    'B-1,Atlantis,,,Nowhere,EURO,Can,Ay,,,wrong,+90,',
  ]
  expect(await mistakesOf('a.csv', [HEAD, ...rows].join('\n'))).toEqual([
    'line 2, column check_out: must be after the check-in, 2030-06-01, not "2030-05-30"',
    'line 3, column check_in: must be as on line 2, or empty: rows with the same client_reference_id are one trip',
    'line 3, column name: is missing',
    'line 5, column client_reference_id: is missing',
    expect.stringContaining('line 6, column nationality: must be a country'),
    expect.stringContaining('line 6, column currency: must be a three-letter currency code'),
    'line 6, column check_in: is missing',
    'line 6, column check_out: is missing, and so is nights',
    'line 6, column contact_name: is missing',
    'line 6, column contact_surname: is missing',
    'line 6, column contact_phone_number: is missing',
    'line 6, column contact_email: must be an e-mail address',
  ])
})

const GUESTS =
  'client_reference_id;city;check_in;nights;room;nationality;currency;name;surname;birth_date;gender;guest_nationality;tc;passport;lead'
/** A spreadsheet of one trip with four guests, for a contact of the settings. */
const EXCEL = [
  GUESTS,
  'G-7;101;01.06.2030;3;2 1:4,7;Deutschland;EUR;Ayşe Gül;Çağlayan-Öğüt;03.02.1990;FEMALE;Türkiye;10000000146;;yes',
  'G-7;;;;;;;"Jürgen ""Jogi""";"Groß; von Weiß";31.12.1988;MALE;DE;;C01X00T47;0',
  'G-7;;;;;;;محمد;الأحمد;1985-07-09;MALE;Suudi Arabistan;;A1234567;',
  'G-7;;;;;;;"Ian\nJr.";=X;2.11.2024;;;;;FALSE',
  ';;;;;;;;;;;;;;',
]
const preferred = {
  contact: {
    name: 'Agency',
    surname: 'Desk',
    email: 'desk@example.com',
    phone_country_code: '+49',
    phone_number: '301234567',
  },
}
const GROUP = {
  line: 2,
  search: {
    city: 101,
    check_in: '2030-06-01',
    check_out: '2030-06-04',
    rooms: [
      {adults: 2, children_ages: []},
      {adults: 1, children_ages: [4, 7]},
    ],
    client_nationality: 'DE',
    currency: 'EUR',
  },
  parsed: {
    contact: preferred.contact,
    guests: [
      {
        name: 'Ayşe Gül',
        surname: 'Çağlayan-Öğüt',
        birth_date: '1990-02-03',
        nationality: 'TR',
        identity: {type: 'TC', number: '10000000146'},
        is_lead: true,
      },
      {
        name: 'Jürgen "Jogi"',
        surname: 'Groß; von Weiß',
        birth_date: '1988-12-31',
        nationality: 'DE',
        identity: {type: 'PASSPORT', number: 'C01X00T47'},
        is_lead: false,
      },
      {name: 'محمد', surname: 'الأحمد', birth_date: '1985-07-09', nationality: 'SA', is_lead: false},
      {name: 'Ian Jr.', surname: '=X', birth_date: '2024-11-02', is_lead: false},
    ],
  },
}

test.each([
  ['Excel: a mark, semicolons and CRLF', `\ufeff${EXCEL.join('\r\n')}\r\n`],
  ['semicolons and LF', `${EXCEL.join('\n')}\n`],
  [
    'tabs',
    EXCEL.map(line => line.replace(/; von/, '| von').replaceAll(';', '\t').replace('|', ';')).join('\n'),
  ],
  ['no last line end', EXCEL.slice(0, -1).join('\r\n')],
  ['a line end of two characters in a cell', EXCEL.join('\r\n').replace('Ian\n', 'Ian\r\n')],
  ['commas, every cell in quotes', EXCEL.map(line => quoted(line)).join('\n')],
  ['CR alone, as old Macs wrote', EXCEL.join('\r').replace('Ian\n', 'Ian\r')],
])('reads a spreadsheet with Turkish, German and Arabic names: %s', async (_, text) => {
  const {trips} = await read('group.csv', text, {preferred})
  expect(trips).toMatchObject([GROUP])
})

/** The cells of a line with semicolons, each in quotes and with commas between them. */
function quoted(line: string): string {
  const cells = line.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)
  return cells.map(cell => (cell.startsWith('"') ? cell : `"${cell}"`)).join(',')
}

test('a mistake below a cell with line ends has the line on which its own row begins', async () => {
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const text = [
      '',
      `${HEAD},refundable`,
      `${rowOf('A-1')},"half${lineEnd}board${lineEnd}${lineEnd}"`,
      `${rowOf('A-2')},`,
      '',
      `${rowOf('A-3').replace('EUR', '€')},`,
    ]
    expect(await mistakesOf('a.csv', text.join(lineEnd))).toEqual([
      'line 3, column refundable: must be true or false, not "half board"',
      expect.stringMatching(/^line 9, column currency: must be/),
    ])
  }
})

test.each([
  [
    'an unknown column',
    HEAD.replace('surname', 'sirname'),
    ['line 1, column sirname: there is no such column', 'did you mean surname?'],
  ],
  [
    'a column that is there twice',
    HEAD.replace('surname', ' Name '),
    ['line 1, column Name: is there twice', 'line 2, column surname: is missing'],
  ],
  [
    'no reference',
    HEAD.replace('client_reference_id', 'why'),
    ['line 1, column client_reference_id: is missing'],
  ],
  [
    'a column without a name',
    HEAD.replace(',city,', ',,'),
    ['line 2: cell 2 has no column', 'line 2, column city: is missing'],
  ],
])('refuses a header with %s', async (_, head, words) => {
  const {message, details} = await rejectionOf(read('a.csv', `${head}\n${ROW}\n`))
  for (const word of words) expect(`${message} ${details.hint}`).toContain(word)
})

test('reads headers in any case, in any order, and columns without a name and content', async () => {
  const text = `SURNAME, Name ,Client_Reference_ID,offer_id,Why,,\nÖğüt,Ayşe,A-1,off_1,refused before,,\n`
  const {trips} = await read('a.csv', text, {preferred})
  expect(trips).toMatchObject([{offerId: 'off_1', parsed: {guests: [{name: 'Ayşe'}]}}])
})

test('never repeats documents of a file whose header is missing', async () => {
  const text = await mistakesOf('a.csv', '10000000146,a@example.com,Ayşe\n1,2,3\n')
  expect(text.join('\n')).toContain('line 1, column 1: there is no such column')
  expect(text.join('\n')).not.toMatch(/10000000146|example\.com/)
})

test('rows of one trip need not be adjacent, and later rows may leave out what the first has', async () => {
  const rows = [ROW, rowOf('B-1'), `A-1,,,,,,Can,Ay,,,,,`]
  const {trips} = await read('a.csv', [HEAD, ...rows].join('\n'))
  expect(trips.map(({reference, parsed}) => [reference, parsed.guests?.length])).toEqual([
    ['A-1', 2],
    ['B-1', 1],
  ])
})

test.each([
  ['check_out', '2030-06-05'],
  ['check_out', '4'],
  ['nationality', 'DE'],
  ['currency', 'USD'],
  ['city', 'Izmir'],
  ['contact_email', 'b@example.com'],
])('refuses a later row whose %s contradicts the first: %s', async (column, text) => {
  const cells = HEAD.split(',').map(
    name => ({client_reference_id: 'A-1', name: 'Can', surname: 'Ay', [column]: text})[name] ?? '',
  )
  expect(await mistakesOf('a.csv', `${HEAD}\n${ROW}\n\n${cells.join(',')}`)).toEqual([
    `line 4, column ${column}: must be as on line 2, or empty: rows with the same client_reference_id are one trip`,
  ])
})

test.each([
  ['check_in', '1.6.2030'],
  ['check_out', '3'],
  ['nationality', 'turkey'],
  ['currency', 'eur'],
  ['city', '0101'],
  ['contact_phone_country_code', '90'],
])('accepts a later row whose %s says the same in another way: %s', async (column, text) => {
  const cells = HEAD.split(',').map(
    name => ({client_reference_id: 'A-1', name: 'Can', surname: 'Ay', [column]: text})[name] ?? '',
  )
  expect((await read('a.csv', `${HEAD}\n${ROW}\n${cells.join(',')}`)).trips).toMatchObject([{search: SEARCH}])
})

const WIDE = `client_reference_id,offer_id,city,check_in,check_out,nights,room,hotel_id,board,refundable,max_price,pay,type,name,surname,birth_date,lead,tc,passport`
/** A row under WIDE of one guest, with `cells` over a whole search. */
function wide(cells: Readonly<Record<string, string>>): string {
  const search = 'offer_id' in cells ? {} : {city: '101', check_in: '2030-06-01', nights: '3'}
  const given: Readonly<Record<string, string>> = {
    client_reference_id: 'A-1',
    name: 'Ayşe',
    surname: 'Öğüt',
    ...search,
    ...cells,
  }
  return `${WIDE}\n${WIDE.split(',')
    .map(name => (given[name] ? `"${given[name]}"` : ''))
    .join(',')}\n`
}
const settings = {preferred: {...preferred, nationality: 'TR', currency: 'EUR'}}

test.each<[Record<string, string>, string[]]>([
  [{client_reference_id: 'A 1'}, ['client_reference_id: must be a client reference']],
  [{offer_id: 'x'}, ['offer_id: must be an offer id']],
  [
    {offer_id: 'off_1', city: '101', nights: '3'},
    ['offer_id: give an offer or a search, not both (city, nights)'],
  ],
  [{city: '', check_in: '', nights: ''}, ['offer_id: give an offer, or a search']],
  [{offer_id: 'off_1', board: 'BB', max_price: '450'}, ['board: chooses among', 'max_price: chooses among']],
  [{city: '0'}, ['city: must be a whole number of at least 1']],
  [{check_in: '2030-01-10', name: ''}, ['name: is missing', 'check_in: must not be in the past']],

  [{check_in: '31.6.2030'}, ['check_in: must be a valid date']],
  [{nights: '', check_out: '2030-06-01'}, ['check_out: must be after the check-in']],
  [{nights: '0'}, ['nights: must be a whole number from 1 to 365']],
  [{check_out: '2030-06-05'}, ['nights: must be the nights from 2030-06-01 to 2030-06-05']],
  [{nights: ''}, ['check_out: is missing, and so is nights']],
  [{room: '2 0'}, ['room: a room needs at least one adult']],
  [{room: '2:4,18'}, ['room: children are 0 to 17 years old']],
  [{room: '1 1 1 1 1 1 1 1 1 1'}, ['room: at most 9 rooms']],
  [{refundable: 'maybe'}, ['refundable: must be true or false, not "maybe"']],
  [{max_price: 'cheap'}, ['max_price: must be an amount']],
  [{pay: 'card'}, ['pay: must be account or instant']],
  [{birth_date: '2031-01-01'}, ['birth_date: must not be in the future']],
  [{birth_date: 'tomorow'}, ['birth_date: must be a valid date']],
  [{lead: 'x'}, ['lead: must be true or false']],
  [{tc: '10000000146', passport: 'C01X00T47'}, ['passport: give one identity: tc or passport']],
  [{name: 'A\u202eB'}, ['name: must not contain invisible characters']],
  [{tc: 'A\u202eB'}, ['tc: must not contain invisible characters']],
  [{passport: 'A\u202eB'}, ['passport: must not contain invisible characters']],
  [{surname: '', type: ' '}, ['surname: is missing']],
])('a row of %j is refused', async (cells, expected) => {
  const mistakes = await mistakesOf('a.csv', wide(cells), settings)
  expect(mistakes).toHaveLength(expected.length)
  for (const [index, text] of expected.entries()) expect(mistakes[index]).toContain(`line 2, column ${text}`)
})

test.each<[Record<string, string>, object]>([
  [{offer_id: 'off_1'}, {offerId: 'off_1', search: undefined, parsed: {offer_id: 'off_1'}}],
  [{nights: '', check_out: '4.6.2030'}, {search: SEARCH}],
  [{check_out: '2030-06-04'}, {search: SEARCH}],
  [{city: 'İstanbul, TR'}, {search: {city: 'İstanbul, TR'}}],
  [{city: '=1+1'}, {search: {city: '=1+1'}}],
  [{name: '=HYPERLINK(1)'}, {parsed: {guests: [{name: '=HYPERLINK(1)'}]}}],
  [{room: ' 2  1:4,7 '}, {search: {rooms: [{adults: 2}, {adults: 1, children_ages: [4, 7]}]}}],
  [{refundable: 'NO'}, {choose: {refundable: false}}],
  [
    {refundable: '1', board: ' HB ', hotel_id: '00012345678901234567890'},
    {choose: {refundable: true, board: 'HB', hotelId: '00012345678901234567890'}},
  ],
  [{max_price: 'eur 450.50'}, {choose: {maxPrice: {amount: '450.50', currency: 'EUR'}}}],
  [{pay: 'instant'}, {parsed: {payment: {mode: 'instant'}}}],
  [{type: 'CHILD', birth_date: '2.11.2024'}, {parsed: {guests: [{type: 'CHILD', birth_date: '2024-11-02'}]}}],
])('a row of %j is read', async (cells, expected) => {
  expect((await read('a.csv', wide(cells), settings)).trips).toMatchObject([expected])
})

test('settings fill in what is missing, and never replace what is given', async () => {
  const [trip] = (await read('a.csv', `${HEAD}\n${rowOf('A-1')}`, settings)).trips
  expect(trip).toMatchObject({search: SEARCH, parsed: {contact: {name: 'Ayşe'}}})
  // The nationality of an offer is that of its search, which only the plan knows.
  const [offer] = (await read('a.csv', wide({offer_id: 'off_1'}), settings)).trips
  expect(offer?.parsed.client_nationality).toBeUndefined()
})

const CHOICE: Choice = {
  hotelId: '1010007',
  board: 'BB',
  refundable: true,
  maxPrice: {amount: '450', currency: 'EUR'},
}

test.each(['ndjson', 'jsonl', 'json'])('reads trips of .%s', async extension => {
  const offer = {
    ...RECORD,
    client_reference_id: 'A-2',
    search: undefined,
    choose: null,
    offer_id: 'off_1',
    why: 'x',
  }
  const destination = {type: 'CITY', id: 101}
  const whole = {...RECORD.search, city: undefined, destination, nights: '', check_out: '2030-06-04'}
  const third = {...RECORD, client_reference_id: 'A-3', search: {...whole, client_nationality: 'Turkey'}}
  const records = [RECORD, offer, third]
  const lines = records.map(record => JSON.stringify(record)).join('\r\n\r\n')
  const text = extension === 'json' ? `\ufeff${JSON.stringify(records, null, 2)}` : `\ufeff${lines}\r\n`
  const {trips, format} = await read(`a.${extension}`, text)
  expect(format).toBe(extension === 'json' ? 'json' : 'ndjson')
  const search = {city: 'Istanbul', check_out: '2030-06-04', currency: 'EUR', client_nationality: 'TR'}
  expect(trips).toMatchObject([
    {line: 1, search, choose: CHOICE, guestsAreRows: false},
    {line: format === 'json' ? 2 : 3, offerId: 'off_1', search: undefined, choose: {}},
    {line: format === 'json' ? 3 : 5, search: {...search, city: 101}},
  ])
})

const {search, choose, guests, contact} = RECORD
const [guest] = guests

test.each<[object, string[]]>([
  [{client_reference_id: null}, ['client_reference_id: is missing']],
  [{client_reference_id: ['A']}, ['client_reference_id: must be text or a number']],
  [{gests: []}, ['gests: there is no such field (did you mean guests?)']],
  [{search: {...search, chek_in: 1}}, ['search.chek_in: there is no such field (did you mean check_in?)']],
  [{search: 'Istanbul'}, ['search: must be an object', 'offer_id: give an offer, or a search']],
  [{payment: 'instant'}, ['payment: must be an object']],
  [{payment: {mode: 'card'}}, ['payment.mode: must be account or instant']],
  [{choose: {...choose, max_price: -1}}, ['choose.max_price: must be an amount']],
  [{search: {...search, rooms: '2'}}, ['search.rooms: must be a list']],
  [
    {search: {...search, rooms: [{adults: 0, children_ages: []}, {adults: 1}]}},
    ['search.rooms[0].adults', 'search.rooms[1].children_ages: is missing'],
  ],
  [
    {search: {...search, destination: {type: 'CITY', id: 7}}},
    ['search.city: give destination or city, not both'],
  ],
  [
    {search: {...search, city: undefined, destination: {type: 'CITY', id: 'x'}}},
    ['search.destination.id: must be a number'],
  ],
  [
    {search: {...search, client_nationality: 'DE'}},
    ['search.client_nationality: must be the same as client_nationality, or left out'],
  ],
  [{search: {...search, check_in: '2030-02-30'}}, ['search.check_in: must be a valid date']],
  [
    {offer_id: 'off_1'},
    [
      'offer_id: give an offer or a search, not both',
      ...Object.keys(choose).map(name => `choose.${name}: chooses`),
    ],
  ],
  [{guests: []}, ['guests: must have at least one guest']],
  [{guests: undefined, contact: undefined}, ['contact: is missing', 'guests: is missing']],
  [
    {guests: [guest, {...guest, birth_date: '2031-01-01', naem: 1, name: 'x'}]},
    ['guests[1].birth_date: must not be in the future', 'guests[1].naem: there is no such field'],
  ],
  [
    {contact: {...contact, email: 'x', phone_number: undefined}},
    ['contact.phone_number: is missing', 'contact.email: must be an e-mail address'],
  ],
  [{contact: 5}, ['contact: must be an object']],
])('a record with %j is refused', async (more, expected) => {
  const record = {...RECORD, ...more}
  for (const [format, place, text] of [
    ['ndjson', 'line 2', `\n${JSON.stringify(record)}`],
    ['json', 'trip 2', JSON.stringify([{...RECORD, client_reference_id: 'Z'}, record])],
  ] as const) {
    // Alone, a hint is beside the message.
    const {message, details} = await rejectionOf(read(`a.${format}`, text))
    const mistakes = [...(details.lines ?? [])]
    expect(mistakes, message).toHaveLength(expected.length)
    const said = mistakes.length === 1 ? [`${mistakes[0]} (${details.hint})`] : mistakes
    const texts = expected.sort()
    for (const [index, line] of said.sort().entries()) expect(line).toContain(`${place}, ${texts[index]}`)
  }
})

test('reports all lines of NDJSON that are not trips', async () => {
  const text = [
    '{"a":',
    '',
    '[]',
    JSON.stringify(RECORD),
    'null',
    JSON.stringify(RECORD),
    '{"search":{"city":1,"city":2}}',
  ]
  expect(await mistakesOf('a.ndjson', text.join('\n'))).toEqual([
    'line 1: is not JSON: it ends too early at column 6',
    'line 3: must be a JSON object, a trip',
    'line 5: must be a JSON object, a trip',
    'line 6, client_reference_id: is that of line 4 already',
    'line 7: a field is given twice in an object',
  ])
})

test.each([
  ['[{"a": 1},\n {"b" 2}]', 'FILE: is not JSON: a stray character at line 2, column 7'],
  ['{"trips": []}', 'FILE: must be a JSON array of trips'],
  ['[]', 'FILE: has no trips'],
  ['[{"a": 1,\n"a": 2}]', 'FILE: a field is given twice in an object, at line 2'],
])('refuses JSON: %j', async (text, expected) => {
  expect((await mistakesOf('a.json', text))[0]).toBe(expected)
})

test.each([
  ['a.txt', undefined, /the format of .*a\.txt is not known by its name/],
  ['a.CSV', undefined, undefined],
  ['a.txt', 'csv', undefined],
  ['a.json', 'csv', undefined],
] as const)('takes the format of %s, --input-format %s', async (name, inputFormat, expected) => {
  const done = read(name, `${HEAD}\n${ROW}\n`, {inputFormat})
  if (expected === undefined) expect((await done).trips).toHaveLength(1)
  else expect((await rejectionOf(done)).message).toMatch(expected)
})

test('a missing file, a directory and standard input without a format are usage errors', async () => {
  const message = async (path: string) => (await rejectionOf(readTripFile(path))).message
  expect(await message('/nowhere/a.csv')).toBe('FILE: cannot read /nowhere/a.csv (no such file)')
  expect(await message('/tmp/')).toContain('is not known by its name')
  expect((await rejectionOf(readTripFile('/tmp', {inputFormat: 'csv'}))).message).toBe(
    'FILE: cannot read /tmp (is a directory)',
  )
  expect(await message('-')).toBe('FILE: the format of standard input is not known by its name')
})

test('prints the first hundred mistakes of very many, in their order, and the number of the others', async () => {
  const rows = Array.from(
    {length: 5000},
    (_, index) => `A-${index},101,2030-06-01,2030-06-04,TR,EUR,,Öğüt,${CONTACT_CELLS}`,
  )
  const failure = await rejectionOf(read('a.csv', `${HEAD}\n${rows.join('\n')}`))
  const {lines = [], result, keepsResult} = failure.details
  expect(lines).toHaveLength(101)
  expect([lines[0], lines[99], lines[100]]).toEqual([
    'line 2, column name: is missing',
    'line 101, column name: is missing',
    'and 4900 more',
  ])
  expect(failure.message.length).toBeLessThan(10_000)
  expect({result, keepsResult}).toMatchObject({
    keepsResult: true,
    result: {mistake_count: 5000, mistakes: {length: 100, 0: {line: 2, column: 'name'}}},
  })
})

test('refuses more trips than a file may have', async () => {
  const rows = Array.from({length: MOST_TRIPS + 2}, (_, index) => rowOf(`A-${index}`))
  expect(await mistakesOf('a.csv', `${HEAD}\n${rows.join('\n')}`)).toEqual([
    `line ${MOST_TRIPS + 2}: too many trips: at most 10,000 in a file; split it`,
  ])
})

test('a mistake found later has the place of those of reading', async () => {
  const file = await read('a.csv', `${HEAD}\n\n${ROW}`)
  const records = await read('a.json', JSON.stringify([RECORD]))
  expect(file.trips.map(trip => placeIn(file, trip, 'city'))).toEqual([{line: 3, column: 'city'}])
  expect(records.trips.map(trip => placeIn(records, trip, 'city'))).toEqual([
    {line: 1, column: 'search.city'},
  ])
})

test('a check-in that is past is no mistake of a trip that may be booked', async () => {
  const {trips} = await read('a.csv', `${HEAD}\n${ROW.replace('2030-06-01', '2030-01-10')}`)
  expect(trips).toMatchObject([
    {
      past: {
        place: {line: 2, column: 'check_in'},
        problem: expect.stringContaining('must not be in the past'),
      },
    },
  ])
})
