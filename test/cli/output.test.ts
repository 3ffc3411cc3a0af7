import {describe, expect, test} from 'vitest'
import {checkColumns, type OutputFlags, renderResult} from '../../src/cli/terminal/output.js'
import {checkExpression} from '../../src/cli/terminal/query.js'
import {headLine, type Result, single} from '../../src/cli/terminal/result.js'
import {rejectionOf, thrownBy} from '../support/thrown.js'

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

describe('a list', () => {
  test('is tab-separated lines without header in a pipe, with no tab or escape of the service in them', async () => {
    expect(await render({})).toBe('a\tİstanbul\\u001b[2J\nb\ttab\\there\nc\t\n')
  })

  test('is a table without borders at a terminal', async () => {
    expect(await render({}, {isTTY: true, columns: 80})).toBe(
      'ID  NAME\na   İstanbul\\u001b[2J\nb   tab\\there\nc\n',
    )
  })

  test('is a block an item at a terminal too narrow', async () => {
    expect((await render({}, {isTTY: true, columns: 30})).split('\n').slice(0, 3)).toEqual([
      'id:   a',
      'name: İstanbul\\u001b[2J',
      '',
    ])
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

  test('ndjson has an item a line', async () => {
    const lines = (await render({format: 'ndjson'})).trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(items)
    expect(await render({format: 'ndjson', columns: 'id'})).toBe('{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n')
  })

  test('json is one document, and empty is not nothing', async () => {
    expect(JSON.parse(await render({json: true}))).toEqual({items})
    const none = {...list, document: {items: []}, items: []}
    expect(JSON.parse(await renderResult(none, {json: true}, PIPE))).toEqual({items: []})
    expect(await renderResult(none, {}, {isTTY: true})).toBe('')
  })

  test('--quiet prints identifiers, --columns chooses', async () => {
    expect(await render({quiet: true})).toBe('a\nb\nc\n')
    expect(await render({columns: 'tags, id'})).toBe('x y\ta\n\tb\n\tc\n')
  })
})

describe('--query', () => {
  test('prints a string bare, anything else as JSON', async () => {
    expect(await render({query: 'items[0].id'})).toBe('a\n')
    expect(await render({query: 'items[].id', json: true})).toBe('[\n  "a",\n  "b",\n  "c"\n]\n')
    expect(await render({query: 'items[9]'})).toBe('null\n')
    expect(await render({query: 'length(items)'})).toBe('3\n')
  })

  test('prints what it finds in the rows of --format', async () => {
    const pairs = 'items[].{id: id, tags: tags}'
    expect(await render({query: pairs, format: 'csv'})).toBe('id,tags\na,x y\nb,\nc,\n')
    expect(await render({query: pairs, format: 'tsv', columns: 'tags,id'})).toBe('x y\ta\n\tb\n\tc\n')
    expect(await render({query: pairs, format: 'table'}, {isTTY: true, columns: 80})).toMatch(
      /^ID {2}TAGS\na {3}x y\n/,
    )
    expect(await render({query: pairs, format: 'ndjson'})).toMatch(/^{"id":"a","tags":\["x","y"\]}\n/)
    expect(await render({query: 'items[].[id, name]', format: 'csv'})).toMatch(/^1,2\na,/)
    expect(await render({query: 'items[].id', format: 'csv'})).toBe('value\na\nb\nc\n')
    expect(await render({query: 'items[].id', format: 'tsv'})).toBe('a\nb\nc\n')
    expect(await render({query: 'items[0]', format: 'tsv', columns: 'id'})).toBe('id\ta\n')
    expect(await render({query: 'items[0].id', format: 'tsv'})).toBe('a\n')
    expect(await render({query: 'nothing', format: 'csv'})).toBe('')
  })

  test('warns when it finds nothing, and names what there is', async () => {
    const warnings: string[] = []
    const ask = (query: string, flags: OutputFlags = {}) =>
      renderResult(list, {...flags, query}, {...PIPE, warn: text => void warnings.push(text)})
    for (const query of ['itms', 'itms[].id', '[itms, more]', '{a: itms}', "items[?id=='z']"])
      await ask(query)
    await ask('itms', {format: 'csv'})
    expect(warnings).toHaveLength(6)
    expect(new Set(warnings)).toEqual(new Set(['Warning: --query found nothing; the result has: items']))
    warnings.length = 0
    // A list without items has nothing to find.
    const none = {...list, document: {items: []}, items: []}
    await renderResult(none, {query: 'items[].id'}, {...PIPE, warn: text => void warnings.push(text)})
    for (const query of ['items[0].tags', 'length(itms || `[]`)', '{a: itms, b: items}']) await ask(query)
    expect(warnings).toEqual([])
  })

  test('a bad expression is refused before anything is sent', async () => {
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

test('one thing is a line a field', async () => {
  const one = single({a: 1, b: null}, {a: 1, longer: {x: [1]}}, 'one')
  expect(await renderResult(one, {}, PIPE)).toBe('a\t1\nlonger\t{"x":[1]}\n')
  expect(await renderResult(one, {}, {isTTY: true})).toBe('a:      1\nlonger: {"x":[1]}\n')
  expect(await renderResult(one, {quiet: true}, PIPE)).toBe('one\n')
  expect(await renderResult({...one, id: () => null}, {quiet: true}, PIPE)).toBe('')
})

describe('what a person sees of one thing', () => {
  const one = {
    ...single({a: 1}, {a: 1, b: null}, 'one'),
    facts: {hotel: 'Otel', 'cancel by': null, price: ''},
  }
  const person = {isTTY: true, columns: 80}

  test('is its facts, without those that are not known', async () => {
    expect(await renderResult(one, {}, person)).toBe('hotel: Otel\n')
    expect(await renderResult(one, {format: 'table'}, PIPE)).toBe('hotel: Otel\n')
  })

  test('is its columns where they are asked for, and in a pipe', async () => {
    expect(await renderResult(one, {columns: 'a,b'}, person)).toBe('a: 1\nb:\n')
    expect(await renderResult(one, {}, PIPE)).toBe('a\t1\nb\t\n')
    expect(await renderResult(one, {format: 'csv'}, person)).toBe('a,b\n1,\n')
  })

  test('has no line without a value in any record', async () => {
    const {facts: _, ...plain} = one
    expect(await renderResult(plain, {}, person)).toBe('a: 1\n')
  })
})

test('a line above a table is for a terminal, and only with rows', async () => {
  const said = {...list, lead: headLine('Istanbul\u001b: 3 of 9')}
  const person = {isTTY: true, columns: 80}
  expect(await renderResult(said, {}, person)).toMatch(/^Istanbul\\u001b: 3 of 9\nID {2}NAME\n/)
  expect(await renderResult(said, {}, PIPE)).toBe(await render({}))
  for (const flags of [{quiet: true}, {json: true}, {format: 'table'}, {query: 'items'}] as const)
    expect(await renderResult(said, flags, person)).not.toContain('Istanbul\\u001b:')
  expect(await renderResult({...said, items: []}, {}, person)).toBe('')
})

test('a long value is bounded in the record a person sees, and whole everywhere else', async () => {
  const one = single({long: 'x'.repeat(10_240)}, {long: 'x'.repeat(10_240), after: 'seen'}, 'one')
  const shown = await renderResult(one, {}, {isTTY: true, columns: 80})
  expect(shown.length).toBeLessThan(2500)
  expect(shown).toContain('(10240 characters; whole with --json)')
  expect(shown).toContain('after: seen')
  for (const flags of [{}, {json: true}, {format: 'csv'}] as const)
    expect(await renderResult(one, flags, PIPE)).toContain('x'.repeat(10_240))
})
