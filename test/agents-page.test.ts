/**
 * Holds the dialogues of docs/agents.md with `bookctl mcp` and the sandbox. There `…` stands for what differs from day to day; what a
 * call or a result has besides is not on the page.
 */
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {startAgent} from './support/agent.js'
import {ownSandbox} from './support/served-sandbox.js'
import {atTerminal} from './support/terminal.js'
import {waitUntil} from './support/wait.js'

const PAGE = readFileSync(new URL('../docs/agents.md', import.meta.url), 'utf8')
const LIMITS = ['--allow', 'reserve,cancel', '--max-total', '1500 EUR', '--max-each', '900 EUR']

interface Step {
  /** `→` a call, `←` its result, `?` a question, `$` a command. */
  readonly mark: string
  readonly text: string
}

/** The steps of each dialogue. A step goes on in lines that are indented. */
const DIALOGUES = PAGE.split(/^### /m)
  .slice(1)
  .map(section => {
    const [, block = ''] = /^```text\n(.*?)^```/ms.exec(section) ?? []
    const steps = block
      .replaceAll(/\n {4}/g, '\n    ')
      .split(/\n(?! {4})/)
      .flatMap((line): Step[] => (/^[→←?$] /.test(line) ? [{mark: line[0] ?? '', text: line.slice(2)}] : []))
    return {title: section.slice(0, section.indexOf('\n')), steps}
  })

/** Returns what a text of the page says about a value: `…` at its end or alone stands for anything. */
function expected(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.filter(each => each !== '…').map(expected)
    return items.length < value.length ? expect.arrayContaining(items) : items.map(asPart)
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asPart(expected(inner))]))
  if (typeof value !== 'string' || !value.includes('…')) return value
  const parts = value.split('…').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return expect.stringMatching(new RegExp(`^${parts.join('[^"]*')}$`))
}

const asPart = (value: unknown) =>
  Object.getPrototypeOf(value ?? '') === Object.prototype ? expect.objectContaining(value as object) : value

/** Keeps the newest value that came for each kind of placeholder, such as `off_…`. */
class Placeholders {
  private readonly newest = new Map<string, string>()

  learn(document: unknown): void {
    const text = JSON.stringify(document)
    for (const start of ['off_', 'hdl_', 'RSV-']) {
      const [found] = new RegExp(`"${start}[\\w-]+`).exec(text) ?? []
      if (found) this.newest.set(`${start}…`, found.slice(1))
    }
  }

  fill(text: string): string {
    return [...this.newest].reduce((filled, [name, value]) => filled.replaceAll(name, value), text)
  }
}

test('the page has three dialogues', () => {
  expect(DIALOGUES.map(({steps}) => steps.length > 4)).toEqual([true, true, true])
})

test.each(DIALOGUES)('$title', async ({title, steps}) => {
  const {home} = await ownSandbox()
  const known = new Placeholders()
  const questions: string[] = []
  const asks = steps.some(({mark}) => mark === '?')
  const {client, call} = await startAgent(home, LIMITS, {capabilities: asks ? {elicitation: {}} : {}})
  if (asks)
    client.setRequestHandler('elicitation/create', async ({params}) => {
      questions.push(params.message)
      return {action: 'accept' as const, content: {}}
    })
  const [{steps: first} = {steps: []}] = DIALOGUES
  const guests =
    first.find(({text}) => text.startsWith('prepare_reservation'))?.text.replace(/^\w+ /, '') ?? '{}'
  let result: unknown
  const hold = async (list: readonly Step[]) => {
    for (const {mark, text} of list) {
      if (mark === '→') {
        const [, name = '', args = ''] = /^(\w+) (.*)$/s.exec(text) ?? []
        const given = JSON.parse(known.fill(args))
        const isShort = given['…'] !== undefined
        const whole = isShort ? {...JSON.parse(guests), offer_id: given.offer_id} : given
        result = (await call(name, whole)).document
        known.learn(result)
      } else if (mark === '←') expect(result).toEqual(asPart(expected(JSON.parse(text))))
      else if (mark === '?')
        for (const line of text.split('\n')) expect(questions.at(-1)).toContain(known.fill(line.trim()))
      else {
        const terminal = atTerminal(home, known.fill(text).split(' ').slice(1), {columns: 120, rows: 50})
        await waitUntil(() => terminal.screen().includes('(y/N)'), 'the question')
        terminal.type('y\r')
        expect(await terminal.exit).toBe(0)
      }
    }
  }
  // The trip that is cancelled is that of the first dialogue.
  if (title.startsWith('Cancelled')) await hold(first.filter(({mark}) => mark === '→'))
  await hold(steps)
})
