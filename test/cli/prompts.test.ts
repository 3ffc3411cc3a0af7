/** The questions themselves, at a real terminal: drawn, and as plain lines. */
import process from 'node:process'
import {afterAll, describe, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {bundledScript} from '../support/bundled.js'
import {atTerminal, type TerminalOptions} from '../support/terminal.js'

const script = await bundledScript(new URL('../support/questions.ts', import.meta.url))
const ACCESSIBLE = {BOOKCTL_ACCESSIBLE: '1'}
const home = new Home()
afterAll(() => home.remove())

function ask(questions: readonly string[], options: TerminalOptions = {}) {
  const command = [process.execPath, script, ...questions]
  return atTerminal(home, [], {columns: 60, rows: 16, ...options, command})
}

describe('drawn', () => {
  test('a text is edited in place, refused in words that stay with it, and said what it means', async () => {
    const terminal = ask(['text'])
    await terminal.waitFor('Guest name')
    terminal.type('Öğt 9\r')
    await terminal.waitFor('a name holds no digits')
    await expect.poll(() => terminal.screen()).toBe('? Guest name Öğt 9\n! a name holds no digits')
    terminal.press('backspace', 'backspace')
    await expect.poll(() => terminal.screen()).toBe('? Guest name Öğt')
    const before = terminal.cursor()
    terminal.press('left')
    await expect.poll(() => terminal.cursor()).toBe(before - 1)
    terminal.type('ü\r')
    await terminal.waitFor('"Öğüt"')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toBe('? Guest name Öğüt  4 letters\n"Öğüt"\nend')
  })

  test('a text longer than the line is answered whole, also when the window changes', async () => {
    const terminal = ask(['text'])
    await terminal.waitFor('Guest name')
    const typed = 'a very long name '.repeat(8)
    terminal.type(typed)
    for (const columns of [40, 25, 90]) {
      terminal.resize(columns, 12)
      terminal.type('x')
      await terminal.waitFor('x')
    }
    terminal.press('enter')
    await terminal.waitFor(JSON.stringify(`${typed}xxx`))
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/^\? Guest name\n {2}a very [^\n]*…$/m)
  })

  test('wide characters are typed, corrected and pasted like any other', async () => {
    const terminal = ask(['text', 'text'])
    await terminal.waitFor('Guest name')
    terminal.type('東京')
    await expect.poll(() => terminal.cursor()).toBe('? Guest name '.length + 4)
    terminal.press('backspace', 'left')
    await expect.poll(() => terminal.cursor()).toBe('? Guest name '.length)
    terminal.type('大\r')
    await terminal.waitFor('"大東"')
    terminal.type('王 小明\rdropped\r')
    await terminal.waitFor('"王 小明"')
    expect(await terminal.exit).toBe(0)
  })

  test('what is pasted cannot move the cursor', async () => {
    const terminal = ask(['text'])
    await terminal.waitFor('Guest name')
    terminal.type('Ay\u009b2J\u001b[2Jş')
    await terminal.waitFor('Ay\\u009b2Jş')
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(9)
    for (const control of ['\u009b', '\u001b[2J']) expect(terminal.raw()).not.toContain(control)
  })

  test('a suspended question goes on where it was', async () => {
    const terminal = ask(['text'])
    await terminal.waitFor('Guest name')
    terminal.type('Ay\u001a')
    await terminal.waitFor('Ay')
    await new Promise(resolve => setTimeout(resolve, 300))
    process.kill(terminal.pid, 'SIGCONT')
    await new Promise(resolve => setTimeout(resolve, 300))
    terminal.type('şe\r')
    await terminal.waitFor('"Ayşe"')
    expect(await terminal.exit).toBe(0)
  })

  test('a secret is not shown, not even its length', async () => {
    const terminal = ask(['secret'])
    await terminal.waitFor('Client secret')
    terminal.type('hush-hush\r')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toBe('? Client secret\n"hush-hush"\nend')
    expect(terminal.raw().split('"hush-hush"').join('')).not.toMatch(/hush|\*/)
  })

  test('a list longer than the screen pages; arrows and numbers move in it', async () => {
    const terminal = ask(['choose'])
    await terminal.waitFor('⏎ select')
    expect(terminal.screen()).toContain('> 3. 東京ホテル 3')
    terminal.press('up')
    await terminal.waitFor('> 2. ')
    terminal.type('27')
    await terminal.waitFor('> 27. ')
    await terminal.waitFor('⏎ select')
    const lines = terminal.screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(16)
    expect(lines.filter(line => line.startsWith('>'))).toHaveLength(1)
    expect(lines[0]).toBe('? Which hotel?')
    expect(lines.at(-2)).toBe('  Refundable until day 27')
    terminal.press('enter')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/^\? Which hotel\?\n {2}東京ホテル 27, [^\n]*…\n27\nend$/)
  })

  test('where no choice is likelier than another, Enter chooses none', async () => {
    const terminal = ask(['unchosen'])
    await terminal.waitFor('type part of it')
    terminal.press('enter', 'down', 'enter')
    expect(terminal.screen()).not.toMatch(/^>/m)
    terminal.type('ık 1')
    await terminal.waitFor('> Otel Işık 10')
    terminal.press('enter')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/\n10\nend$/)
  })

  test('a list survives the window becoming narrow, and wide again', async () => {
    const terminal = ask(['choose'])
    await terminal.waitFor('> 3. ')
    let place = 3
    for (const [columns, rows] of [
      [30, 10],
      [100, 30],
      [24, 8],
      [60, 16],
    ] as const) {
      terminal.resize(columns, rows)
      terminal.press('down')
      await terminal.waitFor(`> ${++place}. `)
    }
    terminal.press('enter')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toMatch(/^7\nend$/m)
  })

  test('several are marked by the space bar, at least one', async () => {
    const terminal = ask(['several'])
    await terminal.waitFor('space select')
    terminal.press('enter')
    await terminal.waitFor('At least one')
    terminal.press('space', 'down', 'down', 'space')
    await terminal.waitFor('> [x] 東京ホテル 3')
    expect(terminal.screen()).toMatch(
      / {2}\[x\] 東京ホテル 1.*\n {2}\[ \] Otel Işık 2.*\n> \[x\] 東京ホテル 3/,
    )
    terminal.press('enter')
    await terminal.waitFor('[1,3]')
    expect(await terminal.exit).toBe(0)
  })

  test('typing narrows a search; nothing found is nothing chosen', async () => {
    const terminal = ask(['search'])
    await terminal.waitFor('> 東京ホテル 1')
    terminal.type('ık 1')
    await terminal.waitFor('> Otel Işık 10')
    terminal.type('z')
    await terminal.waitFor('No results found')
    terminal.press('enter', 'backspace', 'down')
    await terminal.waitFor('> Otel Işık 12')
    terminal.press('enter')
    await terminal.waitFor('12\r\n')
    expect(await terminal.exit).toBe(0)
  })

  test('a search answers what was typed or pasted together with Enter', async () => {
    const terminal = ask(['search'])
    await terminal.waitFor('> 東京ホテル 1')
    terminal.type('ık 12\r')
    await terminal.waitFor('12\r\n')
    expect(await terminal.exit).toBe(0)
  })

  test('a yes-or-no question refuses any other word', async () => {
    const terminal = ask(['confirm'])
    await terminal.waitFor('Reserve this? (y/N)')
    terminal.type('perhaps\r')
    await terminal.waitFor('Type yes or no')
    terminal.press('ctrl-u', 'enter')
    await terminal.waitFor('false')
    expect(await terminal.exit).toBe(0)
  })

  test.each([
    ['statusText', /^\? Guest name\n {2}\d+ s left; Esc goes back\n> Ay$/],
    ['statusSearch', /^\? Which city\? Ay\n! No results found\n[^>]*\n {2}\d+ s left; Esc goes back$/],
    ['statusChoose', /^\? Which hotel\?\n> 1\. [\s\S]*\n {2}\d+ s left; Esc goes back$/],
    ['statusSeveral', /^\? Which hotels\?\n> \[ \] [\s\S]*\n {2}\d+ s left; Esc goes back$/],
  ])(
    '%s: the time left counts down while nobody types, and what was typed stays',
    async (question, shown) => {
      const terminal = ask([question], {rows: 24})
      await terminal.waitFor(/\d+ s left/)
      terminal.type('Ay')
      for (const seconds of [58, 57]) await terminal.waitFor(`${seconds} s left`)
      await expect.poll(() => terminal.screen()).toMatch(shown)
      terminal.press('ctrl-c')
      expect(await terminal.exit).toBe(9)
    },
  )

  test('nothing depends on colour', async () => {
    const terminal = ask(['choose', 'several', 'search', 'text'], {env: {NO_COLOR: '1'}})
    await terminal.waitFor('> 3. ')
    terminal.press('enter')
    await terminal.waitFor('space select')
    terminal.press('space', 'enter')
    await terminal.waitFor('type to narrow')
    terminal.press('enter')
    await terminal.waitFor('Guest name')
    terminal.type('9\r')
    await terminal.waitFor('no digits')
    terminal.press('ctrl-u')
    terminal.type('Ay\r')
    expect(await terminal.exit).toBe(0)
    const styled = [...terminal.raw()].join('').split('\u001b[').slice(1)
    expect(styled.filter(sequence => /^[\d;]*m/.test(sequence))).toEqual([])
  })
})

describe('plain lines', () => {
  test('each question is lines, an answer is a line, and a wrong one is told why', async () => {
    const terminal = ask(['text', 'default', 'secret', 'several', 'search', 'status'], {
      env: ACCESSIBLE,
      rows: 60,
    })
    await terminal.waitFor('Guest name: ')
    terminal.type('R2\r')
    await terminal.waitFor('a name holds no digits')
    terminal.type('Öğüt\r')
    await terminal.waitFor('4 letters')
    await terminal.waitFor('Nights (7): ')
    terminal.type('\r')
    await terminal.waitFor('Client secret: ')
    terminal.type('hush-hush\r')
    await terminal.waitFor('by spaces: ')
    terminal.type('1 9\r')
    await terminal.waitFor('Type one or more numbers from 1 to 5.')
    terminal.type('3, 1\r')
    await terminal.waitFor('[1,3]')
    await terminal.waitFor('Which city?')
    terminal.type('ık 1\r')
    await terminal.waitFor('5. Otel')
    await terminal.waitFor('Type a number.')
    terminal.type('2\r')
    await terminal.waitFor('12')
    await terminal.waitFor('offer ends in 60 s')
    await terminal.waitFor('Reserve this? (yes or no, default no): ')
    terminal.type('perhaps\r')
    await terminal.waitFor('Type yes or no.')
    terminal.type('yes\r')
    await terminal.waitFor('true')
    expect(await terminal.exit).toBe(0)
    expect(terminal.raw()).not.toContain('\u001b')
    expect(terminal.raw().split('"hush-hush"').join('')).not.toContain('hush')
    expect(terminal.raw()).not.toContain('59 s')
  })

  test('a terminal that cannot move its cursor gets them by itself', async () => {
    const terminal = ask(['choose'], {env: {TERM: 'dumb'}})
    await terminal.waitFor('Number from 1 to 40 (3): ')
    terminal.type('41\r')
    await terminal.waitFor('Type a number from 1 to 40.')
    terminal.type('\r')
    await terminal.waitFor('3\r\n')
    expect(await terminal.exit).toBe(0)
    expect(terminal.raw()).not.toContain('\u001b')
  })
})

describe('Escape', () => {
  test('goes back a question, which takes its place; Enter keeps what was answered', async () => {
    const terminal = ask(['chain'])
    await terminal.waitFor('Guest name')
    terminal.type('Ayşe\r')
    await terminal.waitFor('Esc goes back')
    terminal.type('3\r')
    await terminal.waitFor('Which city')
    terminal.type('ık 12\r')
    await terminal.waitFor('offer ends soon; Esc goes back')
    terminal.press('escape')
    await terminal.waitFor('> Otel Işık 12')
    await terminal.waitFor('Esc goes back')
    expect(terminal.screen()).not.toContain('offer ends soon')
    terminal.press('escape')
    await terminal.waitFor('> 3. ')
    terminal.press('escape')
    await terminal.waitFor('Guest name (Ayşe)')
    // At once: nothing of it is taken for a part of Escape.
    terminal.type('Öz\r')
    await terminal.waitFor('> 3. ')
    terminal.type('\r')
    await terminal.waitFor('> Otel Işık 12')
    terminal.type('\r')
    await terminal.waitFor('Reserve this?')
    await terminal.waitFor('offer ends soon')
    terminal.type('y\r')
    await terminal.waitFor('["Öz",3,12,true]')
    expect(await terminal.exit).toBe(0)
  })

  test('twice at once goes back one question, twice in turn two', async () => {
    const terminal = ask(['chain'])
    await terminal.waitFor('Guest name')
    terminal.type('Ayşe\r')
    await terminal.waitFor('> 1. ')
    terminal.type('3\r')
    await terminal.waitFor('type to narrow')
    terminal.press('escape', 'escape')
    await terminal.waitFor('> 3. ')
    terminal.type('\r')
    await terminal.waitFor('> 東京ホテル 1')
    terminal.press('escape')
    await terminal.waitFor('> 3. ')
    terminal.press('escape')
    await terminal.waitFor('Guest name (Ayşe)')
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(9)
  })

  test('is not what an arrow key begins with, also where it arrives in parts', async () => {
    const terminal = ask(['chain'])
    await terminal.waitFor('Guest name')
    terminal.type('Ayşe\r')
    await terminal.waitFor('> 1. ')
    terminal.type('\u001b')
    await new Promise(resolve => setTimeout(resolve, 10))
    terminal.type('[B')
    await terminal.waitFor('> 2. ')
    terminal.press('ctrl-c')
    expect(await terminal.exit).toBe(9)
  })

  test('is a line of its own among plain lines', async () => {
    const terminal = ask(['chain'], {env: ACCESSIBLE})
    await terminal.waitFor('Guest name: ')
    terminal.type('Ayşe\r')
    await terminal.waitFor('Number from 1 to 40 (< goes back): ')
    terminal.type('<\r')
    await terminal.waitFor('Guest name (Ayşe): ')
    terminal.type('\r')
    await terminal.waitFor('Number from')
    terminal.press('ctrl-d')
    expect(await terminal.exit).toBe(9)
  })

  test('does nothing at a question of its own, and arrows still move', async () => {
    const terminal = ask(['choose'])
    await terminal.waitFor('> 3. ')
    terminal.press('escape')
    await new Promise(resolve => setTimeout(resolve, 300))
    terminal.press('down')
    await terminal.waitFor('> 4. ')
    expect(terminal.screen()).not.toContain('Esc goes back')
    terminal.press('enter')
    expect(await terminal.exit).toBe(0)
  })
})

test('of a question withdrawn its message stays, and the status goes', async () => {
  const terminal = ask(['withdrawnStatus'])
  await terminal.waitFor('offer ends soon')
  terminal.type('Ay')
  await terminal.waitFor('the offer has ended')
  await terminal.exit
  expect(terminal.screen()).toBe('? Guest name\nthe offer has ended')
})

test('plain lines: actions are in reach behind any number of offers, and a code in full chooses', async () => {
  for (const [typed, chosen] of [
    ['20', '"sort"'],
    ['off_33', '33'],
  ] as const) {
    const terminal = ask(['actions'], {env: ACCESSIBLE})
    await terminal.waitFor('Offer')
    terminal.type('\r')
    await terminal.waitFor('20. [Sort]')
    await terminal.waitFor('21 more')
    terminal.type(`${typed}\r`)
    await terminal.waitFor(`${chosen}\r\n`)
    expect(await terminal.exit).toBe(0)
  }
})

describe.each([
  ['drawn', {}],
  ['plain lines', ACCESSIBLE],
])('%s', (_, env) => {
  test.each([
    ['text', 'Guest name'],
    ['secret', 'Client secret'],
    ['choose', '1. '],
    ['search', 'Which city'],
    ['confirm', 'Reserve this?'],
  ])(
    'Ctrl-D at %s ends it and leaves the terminal as it was, whatever else goes on',
    async (question, seen) => {
      const terminal = ask(['busy', question], {env})
      await terminal.waitFor(seen)
      terminal.press('ctrl-d')
      expect(await terminal.exit).toBe(9)
      expect(terminal.screen()).toContain('interrupted at a question')
      expect(terminal.raw().lastIndexOf('\u001b[?25l')).toBeLessThanOrEqual(
        terminal.raw().lastIndexOf('\u001b[?25h'),
      )
    },
  )

  test('a question that is withdrawn ends with the reason', async () => {
    const terminal = ask(['withdrawn'], {env})
    await terminal.waitFor('the offer has ended')
    expect(await terminal.exit).toBe(9)
  })

  test('what was typed or pasted before a confirmation does not confirm', async () => {
    const terminal = ask(['late'], {env})
    await terminal.waitFor('searching')
    terminal.type('y\ry\ryes\r')
    await terminal.waitFor('Reserve this?')
    terminal.type('\r')
    await terminal.waitFor('false')
    expect(await terminal.exit).toBe(0)
  })

  test('text of the service cannot move the cursor or make lines', async () => {
    const terminal = ask(['hostile'], {env})
    await terminal.waitFor('1. ')
    terminal.type('1\r')
    await terminal.waitFor('end')
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toContain('Hotel\\u001b[2J\\u0007\\nsecond line')
    expect(terminal.raw()).not.toContain('\u001b[2J')
  })
})
