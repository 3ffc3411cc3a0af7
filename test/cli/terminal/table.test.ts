import stringWidth from 'string-width'
import {describe, expect, test, vi} from 'vitest'
import {painterFor, unpainted} from '../../../src/cli/terminal/colour.js'
import {layOut, type TableOptions} from '../../../src/cli/terminal/table.js'

type Column = TableOptions['columns'][number]

const lay = (columns: readonly (string | Column)[], rows: string[][], width = 80, paint = unpainted) => {
  const named = columns.map(column => (typeof column === 'string' ? {name: column} : column))
  const table = layOut({columns: named, rows, width, paint})
  return table && {lines: [...table.head, ...table.body], leftOut: table.leftOut}
}

/** Names with characters of width two, one and zero. */
const NAMES = [
  'İstanbul Oteli',
  'Çırağan',
  '東京ホテル',
  'e\u0301clair',
  '👩🏽',
  '🇹🇷 Otel',
  'فندق',
  '한국',
  '👨‍👩‍👧 Aile',
]

test.each(NAMES)('the column after %s is aligned', name => {
  const rows = [
    [name, 'BB'],
    ['plain', 'HB'],
  ]
  const [head = '', first = '', second = ''] = lay(['hotel_name', 'board'], rows)?.lines ?? []
  const widthBefore = (line: string, text: string) => stringWidth(line.slice(0, line.indexOf(text)))
  const at = widthBefore(head, 'BOARD')
  expect([widthBefore(first, 'BB'), widthBefore(second, 'HB')]).toEqual([at, at])
})

describe('without room for all columns', () => {
  const id = `off_${'x'.repeat(24)}`
  const names = ['offer_id', 'hotel_name', 'room_name', 'price', 'free_cancellation_until']
  const columns = names.map(name => ({name, isMinor: /^(room|free)/.test(name)}))
  const rows = [
    [id, '東京グランドホテル別館', 'A room with a very long name', '119.10 EUR', '2027-05-29T18:00:00+03:00'],
  ]

  test.each([140, 100, 80, 70, 60, 50])(
    'at %i columns no line is wider, and no identifier or number cut',
    width => {
      const table = lay(columns, rows, width)
      for (const line of table?.lines ?? []) expect(stringWidth(line)).toBeLessThanOrEqual(width)
      expect(table?.lines.at(-1)).toContain(id)
      if (!table?.leftOut.includes('price')) expect(table?.lines.at(-1)).toContain('119.10 EUR')
    },
  )

  test('minor columns are left out first, and named', () => {
    expect(lay(columns, rows, 55)?.leftOut).toEqual(['room_name', 'free_cancellation_until'])
  })

  test('in a pipe nothing is cut', () => {
    const table = lay(names, rows, Number.POSITIVE_INFINITY)
    expect(table?.lines.join()).not.toContain('…')
    expect(table?.lines[1]).toContain('A room with a very long name')
  })

  test('a narrow terminal gets no table', () => {
    expect(lay(names, rows, 45)).toBeUndefined()
    expect(lay(['id', 'url'], [['a', 'https://x.test/'.padEnd(90, 'y')]], 80)).toBeUndefined()
  })
})

test('numbers are right-aligned, times lose only their seconds, heads wrap', () => {
  const rows = [
    ['a', '4', '9.10 EUR', '2030-01-02T03:04:05Z'],
    ['b', '', '119.10 EUR', '2030-01-02T03:04:05.678+05:30'],
  ]
  expect(lay(['id', 'stars', 'price', 'created_at'], rows)?.lines).toEqual([
    'ID  STARS       PRICE  CREATED AT',
    'a       4    9.10 EUR  2030-01-02 03:04Z',
    'b          119.10 EUR  2030-01-02 03:04+05:30',
  ])
})

test('a column that wraps is complete, and stays in its column', () => {
  const detail =
    'ECONNREFUSED 127.0.0.1:1, which nothing listens on; look at /a/very/long/path/without/any/blank/in/it/at/all'
  const columns = ['status', 'detail', 'fix'].map(name => ({name, wraps: true}))
  const failed = ['fail', detail, 'check the base URL, and whether the service is there']
  const lines = lay(columns, [failed, ['ok', 'short', '']], 60)?.lines ?? []
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
  const column = (from: number, to?: number) => lines.slice(1, -1).map(line => line.slice(from, to))
  const lettersOf = (texts: readonly string[]) => texts.join('').replaceAll(' ', '')
  const fixAt = lines[0]?.indexOf('FIX') ?? 0
  expect(lettersOf(column(8, fixAt))).toBe(lettersOf([detail]))
  expect(lettersOf(column(fixAt))).toBe('checkthebaseURL,andwhethertheserviceisthere')
  expect(lines.at(-1)).toBe('ok      short')
})

test('the main column is narrowed last, and then continues in the next line', () => {
  const id = `off_${'x'.repeat(22)}`
  const name = 'Sultanahmet Saray Oteli'
  const minor = ['room_name', 'board'].map(minor => ({name: minor, isMinor: true}))
  const columns = ['offer_id', {name: 'name', isMain: true}, ...minor, 'price']
  const row = [id, name, 'A room with a very long name', 'BB', '119.10 EUR']
  const wide = (width: number) => lay(columns, [row], width)
  expect(wide(90)?.lines.at(-1)).toMatch(new RegExp(`${id}  ${name}  A room.*…  BB`))
  expect(wide(70)?.leftOut).toEqual(['board'])
  expect(wide(50)?.leftOut).toEqual(['room_name', 'board'])
  for (const [width, end] of [
    [70, 48],
    [50, 38],
  ] as const) {
    const cells = wide(width)?.lines.slice(1) ?? []
    expect(cells.length).toBeGreaterThan(1)
    const shown = cells.map(line => line.slice(28, end)).join('')
    expect(shown.replaceAll(' ', '')).toBe(name.replaceAll(' ', ''))
  }
})

test('a long list is byte for byte the same as its rows one by one', () => {
  const widest = [
    'id_of_the_widest_row',
    `東京グランドホテル ${'x'.repeat(30)}`,
    '100000.00 EUR',
    'confirmed',
    'y '.repeat(30),
  ]
  const rows = Array.from({length: 330}, (_, n) => [
    `id_${n}`,
    NAMES[n % NAMES.length] ?? '',
    `${n}.00 EUR`,
    n % 3 ? 'confirmed' : 'failed',
    n % 7 ? '' : 'one two three '.repeat(n % 5),
  ])
  const parts = {
    columns: [
      ...['id', 'hotel_name', 'price', 'status'].map(name => ({name})),
      {name: 'detail', wraps: true},
    ],
    width: 100,
    paint: painterFor({isTTY: true}, {}),
  }
  const whole = layOut({...parts, rows: [widest, ...rows]})
  const first = layOut({...parts, rows: [widest]})?.body ?? []
  expect(first.length).toBeGreaterThan(1)
  const each = rows.flatMap(row => layOut({...parts, rows: [widest, row]})?.body.slice(first.length) ?? [])
  expect(whole?.body).toEqual([...first, ...each])
})

test('only the painter writes colour, and no line ends in spaces', () => {
  vi.stubEnv('FORCE_COLOR', '3')
  const rows = [
    ['a', 'confirmed', ''],
    ['b', '', ''],
  ]
  const names = ['id', 'status', 'name']
  expect(lay(names, rows)?.lines).toEqual(['ID  STATUS     NAME', 'a   confirmed', 'b'])
  const painted = lay(names, rows, 80, painterFor({}, process.env))
  vi.unstubAllEnvs()
  expect(painted?.lines.slice(1)).toEqual(['a   \u001b[32mconfirmed\u001b[39m', 'b'])
})

test.each(['🫠', '🫩', '🪿', '🇹🇷', '👩‍👩‍👧', '👍🏽', '🫱🏻‍🫲🏿', '❤️', '東'])(
  '%s takes two columns, and what follows lines up',
  wide => {
    const lines =
      lay(
        ['name', 'id'],
        [
          [wide, 'a'],
          ['xx', 'b'],
        ],
      )?.lines ?? []
    expect(lines.slice(1)).toEqual([`${wide}    a`, 'xx    b'])
  },
)
