/** The questions, drawn and as plain lines: in this process, or in a real terminal if that makes a difference. */
import process from 'node:process'
import {describe, expect, test} from 'vitest'
import {ownHome} from '../../../support/own.js'
import {atTerminal, converse, ends, KEYS} from '../../../support/terminal.js'
import {ACCESSIBLE, ask, askInPlainSurroundings, askReally, SCRIPT} from './asking.js'
import type {QuestionName} from './questions.js'

askInPlainSurroundings()

describe('drawn', () => {
  test('a text is edited in place, an error stays with it, and its meaning is shown', async () => {
    const terminal = ask(['text'])
    await converse(terminal, ['Guest name', 'Öğt 9\r'], ['a name holds no digits'])
    await expect.poll(() => terminal.screen()).toBe('? Guest name Öğt 9\n! a name holds no digits')
    terminal.press('backspace', 'backspace')
    await expect.poll(() => terminal.screen()).toBe('? Guest name Öğt')
    const before = terminal.cursor()
    terminal.press('left')
    await expect.poll(() => terminal.cursor()).toBe(before - 1)
    terminal.type('ü\r')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toBe('? Guest name Öğüt  4 letters\n"Öğüt"\nend')
  })

  test('pasted text cannot move the cursor', async () => {
    const terminal = ask(['text'])
    await ends(terminal, 9, ['Guest name', 'Ay\u009b2J\u001b[2Jş'], ['Ay\\u009b2Jş', KEYS['ctrl-c']])
    for (const control of ['\u009b', '\u001b[2J']) expect(terminal.raw()).not.toContain(control)
  })

  test('a secret is not shown, not even its length', async () => {
    const terminal = ask(['secret'])
    await ends(terminal, 0, ['Client secret', 'hush-hush\r'])
    expect(terminal.screen()).toBe('? Client secret\n"hush-hush"\nend')
    expect(terminal.raw().split('"hush-hush"').join('')).not.toMatch(/hush|\*/)
  })

  test('a refused secret is asked for again with an empty line', async () => {
    const terminal = ask(['checkedSecret'])
    await ends(terminal, 0, ['Client secret', 'hush\r'], ['! a secret starts with sk_', 'sk_hush\r'])
    expect(terminal.screen()).toBe(
      '? Client secret\n! a secret starts with sk_\n? Client secret\n"sk_hush"\nend',
    )
  })

  test('a list longer than the screen pages; arrows and numbers move in it', async () => {
    const terminal = ask(['choose'])
    await terminal.waitFor('⏎ select')
    expect(terminal.screen()).toContain('> 3. 東京ホテル 3')
    terminal.press('up')
    await converse(terminal, ['> 2. ', '27'], ['> 27. '], ['⏎ select'])
    const lines = terminal.screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(16)
    expect(lines.filter(line => line.startsWith('>'))).toHaveLength(1)
    expect(lines[0]).toBe('? Which hotel?')
    expect(lines.at(-2)).toBe('  Refundable until day 27')
    terminal.press('enter')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/^\? Which hotel\?\n {2}東京ホテル 27, [^\n]*…\n27\nend$/)
  })

  test('if no choice is likelier than another, Enter chooses none', async () => {
    const terminal = ask(['unchosen'])
    await terminal.waitFor('type part of it')
    terminal.press('enter', 'down', 'enter')
    expect(terminal.screen()).not.toMatch(/^>/m)
    terminal.type('ık 1')
    await ends(terminal, 0, ['> Otel Işık 10', KEYS.enter])
    expect(terminal.screen()).toMatch(/\n10\nend$/)
  })

  test('typing narrows a search; nothing found is nothing chosen', async () => {
    const terminal = ask(['search', 'search'])
    await converse(
      terminal,
      ['> 東京ホテル 1', 'ık 1'],
      ['> Otel Işık 10', 'z'],
      ['No results found', KEYS.enter + KEYS.backspace + KEYS.down],
      ['> Otel Işık 12', KEYS.enter],
      ['12\r\n'],
    )
    // The text and Enter arrive together, as when pasted.
    await ends(terminal, 0, ['> 東京ホテル 1', 'ık 14\r'], ['14\r\n'])
  })

  test('the time left counts down while the person does not type, and typed text stays', async () => {
    const kinds: [QuestionName, RegExp][] = [
      ['statusText', /^\? Guest name\n {2}\d+ s left; Esc goes back\n> Ay$/],
      ['statusSearch', /^\? Which city\? Ay\n! No results found\n[^>]*\n {2}\d+ s left; Esc goes back$/],
      ['statusChoose', /^\? Which hotel\?\n> 1\. [\s\S]*\n {2}\d+ s left; Esc goes back$/],
      ['statusSeveral', /^\? Which hotels\?\n> \[ \] [\s\S]*\n {2}\d+ s left; Esc goes back$/],
    ]
    await Promise.all(
      kinds.map(async ([question, shown]) => {
        const terminal = ask([question], {}, 24)
        await terminal.waitFor(/\d+ s left/)
        terminal.type('Ay')
        for (const seconds of [59, 58]) await terminal.waitFor(`${seconds} s left`)
        await expect.poll(() => terminal.screen()).toMatch(shown)
        terminal.press('ctrl-c')
        expect(await terminal.exit).toBe(9)
      }),
    )
  })
})

describe('at a real terminal', () => {
  test('Ctrl-Z suspends a question, and fg brings it back with what was typed', async () => {
    const script = `${process.execPath} --import ${import.meta.resolve('tsx')} ${SCRIPT} text`
    const terminal = atTerminal(ownHome(), [], {
      columns: 60,
      rows: 40,
      command: ['bash', '-c', `set -m; ${script}; echo suspended; fg`],
    })
    await ends(
      terminal,
      0,
      ['Guest name', 'Öğ'],
      ['Öğ', '\u001a'],
      ['suspended'],
      ['Guest name', 'üt\r'],
      ['"Öğüt"'],
    )
  })

  test('a wide character takes two columns, and goes whole', async () => {
    const terminal = ask(['text'])
    await terminal.waitFor('Guest name')
    terminal.type('東京')
    await expect.poll(() => terminal.screen()).toBe('? Guest name 東京')
    const before = terminal.cursor()
    terminal.press('left')
    await expect.poll(() => terminal.cursor()).toBe(before - 2)
    terminal.press('right', 'backspace')
    await expect.poll(() => terminal.screen()).toBe('? Guest name 東')
    terminal.type('\r')
    expect(await terminal.exit).toBe(0)
  })

  test('in a window made narrower, no line of a list is broken', async () => {
    const terminal = ask(['choose'])
    await terminal.waitFor('⏎ select')
    terminal.resize(30, 16)
    terminal.press('down')
    await terminal.waitFor('> 4. ')
    const lines = () => terminal.screen().split('\n')
    await expect.poll(() => lines().filter(line => line.startsWith('> 4. ')).length).toBe(1)
    terminal.press('enter')
    await ends(terminal, 0, ['4\r\n'])
  })
})

describe('a search in a window made narrower', () => {
  test('cuts its rows to the new width, and keeps what was typed', async () => {
    const terminal = ask(['search'])
    await converse(terminal, ['> 東京ホテル 1', 'ık 1'], ['> Otel Işık 10'])
    terminal.resize(40, 24)
    await terminal.waitFor('> Otel Işık 10')
    const lines = () => terminal.screen().split('\n')
    // Each row is one line, cut to the new width.
    await expect.poll(() => lines().filter(line => /^[> ] Otel Işık 1\d, .*…$/.test(line)).length).toBe(5)
    expect(lines()).toContain('? Which city? ık 1')
    terminal.type('4')
    await ends(terminal, 0, ['> Otel Işık 14', KEYS.enter], ['14\r\n'])
  })
})

describe('plain lines', () => {
  test('a question is a line, an answer is a line, and an error says why', async () => {
    const terminal = askReally(['text', 'default', 'secret', 'several', 'search', 'status'], ACCESSIBLE)
    await ends(
      terminal,
      0,
      ['Guest name: ', 'R2\r'],
      ['a name holds no digits', 'Öğüt\r'],
      ['4 letters'],
      ['Nights (7): ', '\r'],
      ['Client secret: ', 'hush-hush\r'],
      ['by spaces: ', '1 9\r'],
      ['type one or more numbers from 1 to 5', '3, 1\r'],
      ['[1,3]'],
      ['Which city?', 'ık 1\r'],
      ['5. Otel'],
      ['type a number', '2\r'],
      ['12'],
      ['offer ends in 60 s'],
      ['Reserve this? (yes or no, default no): ', 'perhaps\r'],
      ['type yes or no', 'yes\r'],
      ['true'],
    )
    expect(terminal.raw()).not.toContain('\u001b')
    expect(terminal.raw().split('"hush-hush"').join('')).not.toContain('hush')
    expect(terminal.raw()).not.toContain('59 s')
  })

  test.each([
    ['20', '"sort"'],
    ['off_33', '33'],
  ])(
    '%s chooses: an action behind many offers by its number, an offer by its code',
    async (typed, chosen) => {
      const terminal = ask(['actions'], ACCESSIBLE)
      await ends(terminal, 0, ['Offer', '\r'], ['20. [Sort]'], ['21 more', `${typed}\r`], [`${chosen}\r\n`])
    },
  )
})
