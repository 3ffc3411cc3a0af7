/**
 * Questions for tests, and a terminal inside this process to ask them in. Run as a script, the file asks the questions named on
 * its command line in the terminal of the script.
 */
import process from 'node:process'
import {PassThrough, Writable} from 'node:stream'
import type {ReadStream, WriteStream} from 'node:tty'
import {fileURLToPath} from 'node:url'
import {createPrompts} from '../../../../src/cli/terminal/prompts/ask.js'
import type {Prompts, Terminal} from '../../../../src/cli/terminal/prompts/prompts.js'
import {withWayBack} from '../../../../src/cli/terminal/prompts/way-back.js'
import {usage} from '../../../../src/contract/failure.js'
import {createScreen, KEYS, type TerminalRun} from '../../../support/terminal.js'

const HOTELS = Array.from({length: 40}, (_, index) => ({
  value: index + 1,
  name: `${index % 2 ? 'Otel Işık' : '東京ホテル'} ${index + 1}, a room with a name that is much longer than the line it is shown on`,
  description: `Board: breakfast\nRefundable until day ${index + 1}`,
}))

const CITY = {
  message: 'Which city?',
  find: (typed: string) => HOTELS.filter(({name}) => name.toLowerCase().includes(typed.toLowerCase())),
}

/** Returns a signal that withdraws a question after a short time. */
function withdrawn(): AbortSignal {
  const withdrawing = new AbortController()
  setTimeout(() => withdrawing.abort(new Error('the offer has ended')), 300)
  return withdrawing.signal
}

/** Returns the options of a question that counts down while an offer expires. */
function counting() {
  const end = performance.now() + 60_000
  const status = () => `${Math.ceil((end - performance.now()) / 1000)} s left`
  return {status, goesBack: true}
}

const QUESTIONS = {
  text: prompts =>
    prompts.text({
      message: 'Guest name',
      hint: typed => (typed === '' ? undefined : `${typed.length} letters`),
      check: answer => {
        if (/\d/.test(answer)) throw usage('digits', 'a name holds no digits')
      },
    }),
  default: prompts => prompts.text({message: 'Nights', default: '7'}),
  secret: prompts => prompts.text({message: 'Client secret', secret: true}),
  checkedSecret: prompts =>
    prompts.text({
      message: 'Client secret',
      secret: true,
      check: answer => {
        if (!answer.startsWith('sk_')) throw usage('secret', 'a secret starts with sk_')
      },
    }),
  choose: prompts => prompts.choose({message: 'Which hotel?', choices: HOTELS, default: 3}),
  several: prompts => prompts.chooseSeveral({message: 'Which hotels?', choices: HOTELS.slice(0, 5)}),
  search: prompts => prompts.search(CITY),
  confirm: prompts => prompts.confirm({message: 'Reserve this?'}),
  status: prompts => prompts.confirm({message: 'Reserve this?', status: () => 'offer ends in 60 s'}),
  statusText: prompts => prompts.text({message: 'Guest name', ...counting()}),
  statusSearch: prompts => prompts.search({...CITY, ...counting()}),
  statusChoose: prompts => prompts.choose({message: 'Which hotel?', choices: HOTELS, ...counting()}),
  statusSeveral: prompts => prompts.chooseSeveral({message: 'Which hotels?', choices: HOTELS, ...counting()}),
  /** Keeps the process alive, whatever happens to the questions. */
  busy: async () => void setInterval(() => {}, 1000),
  withdrawn: prompts => prompts.choose({message: 'Which hotel?', choices: HOTELS, signal: withdrawn()}),
  /** Asks several questions one after another. */
  chain: prompts =>
    withWayBack(prompts, async asked => [
      await asked.text({message: 'Guest name'}),
      await asked.choose({message: 'Which hotel?', choices: HOTELS}),
      await asked.search(CITY),
      await asked.confirm({message: 'Reserve this?', status: () => 'offer ends soon'}),
    ]),
  unchosen: prompts => prompts.search({...CITY, startsUnchosen: true}),
  actions: prompts =>
    prompts.search<number | 'sort'>({
      message: 'Offer',
      find: () => [
        ...HOTELS.map(hotel => ({...hotel, names: [`off_${hotel.value}`]})),
        {value: 'sort' as const, name: '[Sort]', isAction: true},
      ],
    }),
  hostile: prompts =>
    prompts.choose({
      message: 'Which\u001b[2J hotel?',
      choices: [{value: 1, name: 'Hotel\u001b[2J\u0007\nsecond line', description: 'a\u009b2J'}],
    }),
  /** Is busy for about as long as a search takes, then asks. */
  late: async prompts => {
    await new Promise(resolve => setTimeout(resolve, 300))
    return prompts.confirm({message: 'Reserve this?'})
  },
} satisfies Record<string, (prompts: Prompts) => Promise<unknown>>

export type QuestionName = keyof typeof QUESTIONS

/** Asks `names` one after another, and prints each answer as JSON, or why there is none. Returns the exit code. */
async function askAll(
  names: readonly QuestionName[],
  print: (line: string) => void,
  terminal: Pick<Terminal, 'input' | 'output'> = {input: process.stdin, output: process.stderr},
): Promise<number> {
  const prompts = await createPrompts({...terminal, closing: undefined})
  try {
    for (const name of names) print(JSON.stringify((await QUESTIONS[name](prompts)) ?? null))
    print('end')
    return 0
  } catch (error) {
    print((error as Error).message)
    return 9
  }
}

export type AskedHere = Omit<TerminalRun, 'pid' | 'kill'>

/** Asks in a terminal without a device. Keys are read as in raw mode, and line ends are converted as a terminal driver does. */
export function askHere(names: readonly QuestionName[], columns: number, rows: number): AskedHere {
  const shown = createScreen(columns, rows)
  const write = (text: string) => shown.write(text.replaceAll('\n', '\r\n'))
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (mode: boolean) => Object.assign(input, {isRaw: mode}),
  })
  const output = Object.assign(new Writable({write: (chunk, _, done) => done(void write(String(chunk)))}), {
    isTTY: true,
    columns,
    rows,
    // The stream stays open, like a real terminal.
    end: () => output,
  })
  const type = (text: string) => {
    if (input.isRaw) return void input.write(text)
    if (text === KEYS['ctrl-d']) return void input.end()
    input.write(text.replaceAll('\r', '\n'))
  }
  const terminal = {input: input as unknown as ReadStream, output: output as unknown as WriteStream}
  const asked = askAll(names, line => write(`${line}\n`), terminal)
  return {
    ...shown,
    type,
    press: (...keys) => type(keys.map(key => KEYS[key]).join('')),
    resize(columns, rows) {
      shown.resize(columns, rows)
      Object.assign(output, {columns, rows}).emit('resize')
    },
    exit: asked.then(code => new Promise(resolve => shown.end(() => resolve(code)))),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2) as QuestionName[]
  const code = await askAll(names, line => void process.stdout.write(`${line}\n`))
  process.stdout.write('', () => process.exit(code))
}
