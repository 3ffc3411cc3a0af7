import {describe, expect, test} from 'vitest'
import {checkColumns, type OutputFlags, renderResult} from '../../../src/cli/terminal/output.js'
import {checkExpression} from '../../../src/cli/terminal/query.js'
import {headLine, listResult, type Result, single} from '../../../src/cli/terminal/result.js'
import {rejectionOf, thrownBy} from '../../support/thrown.js'

interface Item {
  readonly id: string
  readonly name: string | null
  readonly tags: readonly string[]
}
const items: Item[] = [
  {id: 'a', name: 'İstanbul\u001b[2J', tags: ['x', 'y']},
  {id: 'b', name: 'tab\there', tags: []},
  {id: 'c', name: null, tags: []},
]
const list: Result<Item> = {
  document: {items},
  items,
  columns: [
    {name: 'id', value: item => item.id},
    {name: 'name', value: item => item.name},
    {name: 'tags', value: item => item.tags},
  ],
  shown: ['id', 'name'],
  id: item => item.id,
}
const PIPE = {isTTY: false}
const render = (flags: OutputFlags, terminal: {isTTY: boolean; columns?: number} = PIPE) =>
  renderResult(list, flags, terminal)

const TERMINAL = {isTTY: true, columns: 80}

test.each<[string, OutputFlags, typeof TERMINAL | typeof PIPE, string]>([
  ['lines without a header, tab or escape', {}, PIPE, 'a\tİstanbul\\u001b[2J\nb\ttab\\there\nc\t\n'],
  ['a table at a terminal', {}, TERMINAL, 'ID  NAME\na   İstanbul\\u001b[2J\nb   tab\\there\nc\n'],
  ['an item a line', {format: 'ndjson'}, PIPE, items.map(item => `${JSON.stringify(item)}\n`).join('')],
  ['chosen columns', {format: 'ndjson', columns: 'id'}, PIPE, '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n'],
  ['chosen columns in their order', {columns: 'tags, id'}, PIPE, 'x y\ta\n\tb\n\tc\n'],
  ['identifiers', {quiet: true}, PIPE, 'a\nb\nc\n'],
])('a list is %s: %j', async (_, flags, terminal, expected) => {
  expect(await render(flags, terminal)).toBe(expected)
})

describe('a list', () => {
  test('is a block an item at a terminal too narrow', async () => {
    const [first, second, third] = (await render({}, {isTTY: true, columns: 30})).split('\n')
    expect([first, second, third]).toEqual(['id:   a', 'name: İstanbul\\u001b[2J', ''])
  })

  test('csv has a header and quotes', async () => {
    const quoted = {...list, items: [{id: 'a,"b"', name: null, tags: []}]}
    expect(await renderResult(quoted, {format: 'csv'}, PIPE)).toBe('id,name\n"a,""b""",\n')
    const plain = {...list, items: [{id: ' =1', name: "it's; ", tags: []}]}
    const more = {...PIPE, continues: true}
    expect(await renderResult(plain, {format: 'csv'}, more)).toBe(" =1,it's; \n")
    expect(await renderResult({...list, items: []}, {format: 'csv'}, PIPE)).toBe('id,name\n')
    expect(await renderResult({...list, items: []}, {format: 'csv'}, more)).toBe('')
  })

  test('json is one document, and empty is not nothing', async () => {
    expect(JSON.parse(await render({json: true}))).toEqual({items})
    const none = {...list, document: {items: []}, items: []}
    expect(JSON.parse(await renderResult(none, {json: true}, PIPE))).toEqual({items: []})
    expect(await renderResult(none, {}, {isTTY: true})).toBe('')
  })
})

describe('--query', () => {
  const pairs = 'items[].{id: id, tags: tags}'
  test.each<[OutputFlags, string | RegExp]>([
    [{query: 'items[0].id'}, 'a\n'],
    [{query: 'items[].id', json: true}, '[\n  "a",\n  "b",\n  "c"\n]\n'],
    [{query: 'items[9]'}, 'null\n'],
    [{query: 'length(items)'}, '3\n'],
    [{query: pairs, format: 'csv'}, 'id,tags\na,x y\nb,\nc,\n'],
    [{query: pairs, format: 'tsv', columns: 'tags,id'}, 'x y\ta\n\tb\n\tc\n'],
    [{query: pairs, format: 'table'}, /^ID {2}TAGS\na {3}x y\n/],
    [{query: pairs, format: 'ndjson'}, /^{"id":"a","tags":\["x","y"\]}\n/],
    [{query: 'items[].[id, name]', format: 'csv'}, /^1,2\na,/],
    [{query: 'items[].id', format: 'csv'}, 'value\na\nb\nc\n'],
    [{query: 'items[].id', format: 'tsv'}, 'a\nb\nc\n'],
    [{query: 'items[0]', format: 'tsv', columns: 'id'}, 'id\ta\n'],
    [{query: 'items[0].id', format: 'tsv'}, 'a\n'],
    [{query: 'nothing', format: 'csv'}, ''],
  ])('prints a string bare, all else as JSON, or in the rows of --format: %j', async (flags, expected) => {
    const printed = await render(flags, TERMINAL)
    if (typeof expected === 'string') expect(printed).toBe(expected)
    else expect(printed).toMatch(expected)
  })

  test('warns if it finds nothing, and lists the keys of the result', async () => {
    const warnings: string[] = []
    const ask = (query: string, flags: OutputFlags = {}) =>
      renderResult(list, {...flags, query}, {...PIPE, warn: text => void warnings.push(text)})
    for (const query of ['itms', 'itms[].id', '[itms, more]', '{a: itms}', "items[?id=='z']"])
      await ask(query)
    await ask('itms', {format: 'csv'})
    expect(warnings).toHaveLength(6)
    expect(new Set(warnings)).toEqual(new Set(['Warning: --query found nothing; the result has: items']))
    warnings.length = 0
    // An empty list gives no warning that nothing was found.
    const none = {...list, document: {items: []}, items: []}
    await renderResult(none, {query: 'items[].id'}, {...PIPE, warn: text => void warnings.push(text)})
    for (const query of ['items[0].tags', 'length(itms || `[]`)', '{a: itms, b: items}']) await ask(query)
    expect(warnings).toEqual([])
  })

  test('an invalid expression is refused before anything is sent', async () => {
    expect((await rejectionOf(checkExpression('--query', 'items['))).details.code).toBe('invalid_query')
    expect(await checkExpression('--query', 'items')).toBe('items')
  })
})

test('an unknown column names the valid ones', () => {
  const failure = thrownBy(() => checkColumns(['id', 'name'], 'id,nam'))
  expect(failure.details.hint).toContain('did you mean name?')
  expect(failure.details.hint).toContain('id, name')
})

test('a column that the answer does not have is empty: what was done is printed', async () => {
  const columns = 'nope,id'
  expect(await render({columns})).toBe('\ta\n\tb\n\tc\n')
  expect(await render({columns, format: 'ndjson'})).toMatch(/^{"nope":null,"id":"a"}\n/)
  expect(await renderResult({...list, items: [], columns: []}, {columns}, PIPE)).toBe('')
})

test('a single item is printed as a line for each field', async () => {
  const one = single({a: 1, b: null}, {a: 1, longer: {x: [1]}}, 'one')
  expect(await renderResult(one, {}, PIPE)).toBe('a\t1\nlonger\t{"x":[1]}\n')
  expect(await renderResult(one, {}, {isTTY: true})).toBe('a:      1\nlonger: {"x":[1]}\n')
  expect(await renderResult(one, {quiet: true}, PIPE)).toBe('one\n')
  expect(await renderResult({...one, id: () => null}, {quiet: true}, PIPE)).toBe('')
})

describe('a single item', () => {
  const one = {
    ...single({a: 1}, {a: 1, b: null}, 'one'),
    facts: {hotel: 'Otel', 'cancel by': null, price: ''},
  }

  test('is printed as its known facts', async () => {
    expect(await renderResult(one, {}, TERMINAL)).toBe('hotel: Otel\n')
    expect(await renderResult(one, {format: 'table'}, PIPE)).toBe('hotel: Otel\n')
  })

  test('is printed as its columns if they are chosen, and in a pipe', async () => {
    expect(await renderResult(one, {columns: 'a,b'}, TERMINAL)).toBe('a: 1\nb:\n')
    expect(await renderResult(one, {}, PIPE)).toBe('a\t1\nb\t\n')
    expect(await renderResult(one, {format: 'csv'}, TERMINAL)).toBe('a,b\n1,\n')
  })

  test('has no line without a value', async () => {
    const {facts: _, ...plain} = one
    expect(await renderResult(plain, {}, TERMINAL)).toBe('a: 1\n')
  })
})

test('a line above a table is for a terminal, and only with rows', async () => {
  const said = {...list, lead: headLine('Istanbul\u001b: 3 of 9')}
  expect(await renderResult(said, {}, TERMINAL)).toMatch(/^Istanbul\\u001b: 3 of 9\nID {2}NAME\n/)
  expect(await renderResult(said, {}, PIPE)).toBe(await render({}))
  for (const flags of [{quiet: true}, {json: true}, {format: 'table'}, {query: 'items'}] as const)
    expect(await renderResult(said, flags, TERMINAL)).not.toContain('Istanbul\\u001b:')
  expect(await renderResult({...said, items: []}, {}, TERMINAL)).toBe('')
})

test('a long value is bounded in the record a person sees, and whole everywhere else', async () => {
  const one = single({long: 'x'.repeat(10_240)}, {long: 'x'.repeat(10_240), after: 'seen'}, 'one')
  const shown = await renderResult(one, {}, TERMINAL)
  expect(shown.length).toBeLessThan(2500)
  expect(shown).toContain('(10240 characters; whole with --json)')
  expect(shown).toContain('after: seen')
  for (const flags of [{}, {json: true}, {format: 'csv'}] as const)
    expect(await renderResult(one, flags, PIPE)).toContain('x'.repeat(10_240))
})

test('an amount has its own cell if its currency has one', async () => {
  const rows = [
    {price: '120.00 EUR', fee: '5.000 KWD', hotel: 'Casa EUR', currency: 'EUR'},
    {price: '900', fee: null, hotel: 'B', currency: null},
  ]
  const list = listResult({rows}, rows, ['price', 'fee', 'hotel', 'currency'])
  const shown = (columns: string) => renderResult(list, {columns, format: 'csv'}, {isTTY: false})
  expect(await shown('price,currency')).toBe('price,currency\n120.00,EUR\n900,\n')
  expect(await shown('price,hotel')).toBe('price,hotel\n120.00 EUR,Casa EUR\n900,B\n')
  expect(await shown('currency,fee,hotel')).toBe('currency,fee,hotel\nEUR,5.000 KWD,Casa EUR\n,,B\n')
})
