/** Asks the questions named on its command line at the terminal it runs in; prints each answer as JSON to stdout. */
import {wantsAccessible} from '../../src/cli/terminal/colour.js'
import {createPrompts} from '../../src/cli/terminal/prompts/create.js'
import type {Prompts} from '../../src/cli/terminal/prompts/prompts.js'
import {withWayBack} from '../../src/cli/terminal/prompts/way-back.js'
import {usage} from '../../src/contract/failure.js'

const HOTELS = Array.from({length: 40}, (_, index) => ({
  value: index + 1,
  name: `${index % 2 ? 'Otel Işık' : '東京ホテル'} ${index + 1}, a room with a name that is much longer than the line it is shown on`,
  description: `Board: breakfast\nRefundable until day ${index + 1}`,
}))

const withdrawing = new AbortController()

/** What a question has while an offer runs out. */
function counting() {
  const end = performance.now() + 60_000
  const status = () => `${Math.ceil((end - performance.now()) / 1000)} s left`
  return {status, goesBack: true}
}

const QUESTIONS: Record<string, (prompts: Prompts) => Promise<unknown>> = {
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
  choose: prompts => prompts.choose({message: 'Which hotel?', choices: HOTELS, default: 3}),
  several: prompts => prompts.chooseSeveral({message: 'Which hotels?', choices: HOTELS.slice(0, 5)}),
  search: prompts =>
    prompts.search({
      message: 'Which city?',
      find: typed => HOTELS.filter(({name}) => name.toLowerCase().includes(typed.toLowerCase())),
    }),
  confirm: prompts => prompts.confirm({message: 'Reserve this?'}),
  status: prompts => prompts.confirm({message: 'Reserve this?', status: () => 'offer ends in 60 s'}),
  statusText: prompts => prompts.text({message: 'Guest name', ...counting()}),
  statusSearch: prompts =>
    prompts.search({
      message: 'Which city?',
      find: typed => HOTELS.filter(({name}) => name.includes(typed)),
      ...counting(),
    }),
  statusChoose: prompts => prompts.choose({message: 'Which hotel?', choices: HOTELS, ...counting()}),
  statusSeveral: prompts => prompts.chooseSeveral({message: 'Which hotels?', choices: HOTELS, ...counting()}),
  /** Something that keeps the process alive whatever becomes of the questions. */
  busy: async () => void setInterval(() => {}, 1000),
  withdrawn: prompts => {
    setTimeout(() => withdrawing.abort(new Error('the offer has ended')), 300)
    return prompts.choose({message: 'Which hotel?', choices: HOTELS, signal: withdrawing.signal})
  },
  /** One after another. */
  chain: prompts =>
    withWayBack(prompts, async asked => [
      await asked.text({message: 'Guest name'}),
      await asked.choose({message: 'Which hotel?', choices: HOTELS}),
      await asked.search({
        message: 'Which city?',
        find: typed => HOTELS.filter(({name}) => name.toLowerCase().includes(typed.toLowerCase())),
      }),
      await asked.confirm({message: 'Reserve this?', status: () => 'offer ends soon'}),
    ]),
  unchosen: prompts =>
    prompts.search({
      message: 'Which city?',
      startsUnchosen: true,
      find: typed => HOTELS.filter(({name}) => name.toLowerCase().includes(typed.toLowerCase())),
    }),
  actions: prompts =>
    prompts.search<number | 'sort'>({
      message: 'Offer',
      find: () => [
        ...HOTELS.map(hotel => ({...hotel, names: [`off_${hotel.value}`]})),
        {value: 'sort' as const, name: '[Sort]', isAction: true},
      ],
    }),
  withdrawnStatus: prompts => {
    setTimeout(() => withdrawing.abort(new Error('the offer has ended')), 300)
    return prompts.text({
      message: 'Guest name',
      status: () => 'offer ends soon',
      signal: withdrawing.signal,
    })
  },
  hostile: prompts =>
    prompts.choose({
      message: 'Which\u001b[2J hotel?',
      choices: [{value: 1, name: 'Hotel\u001b[2J\u0007\nsecond line', description: 'a\u009b2J'}],
    }),
  /** Busy for as long as a search takes, then asks. */
  late: async prompts => {
    process.stderr.write('searching\n')
    await new Promise(resolve => setTimeout(resolve, 300))
    return prompts.confirm({message: 'Reserve this?'})
  },
}

const prompts = await createPrompts({accessible: wantsAccessible(process.env)})
try {
  for (const name of process.argv.slice(2))
    process.stdout.write(`${JSON.stringify((await QUESTIONS[name]?.(prompts)) ?? null)}\n`)
  process.stdout.write('end\n')
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`, () => process.exit(9))
}
