/** Shows a whole booking on a temporary local sandbox. Every step is a command that runs in its own process. */
import {type ChildProcess, spawn} from 'node:child_process'
import {once} from 'node:events'
import {rmSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {addDays} from '../../../contract/dates.js'
import {Failure} from '../../../contract/failure.js'
import {makeTemporaryDirectory} from '../../../storage/temporary.js'
import WHY from './demo-steps.json' with {type: 'json'}
import {findFreePort} from './port.js'

export interface Step {
  readonly command: string
  readonly exit: number
  readonly output: string
}

interface DemoOptions {
  readonly script: string
  readonly execArgv: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly today: string
  /** Whether the steps print JSON instead of tables. */
  readonly json: boolean
  /** Directory for the vouchers; undefined to delete them. */
  readonly keep: string | undefined
  /** Is called before each step; `why` says what the step does. */
  readonly onCommand: (command: string, why: string) => void
  readonly onOutput: (step: Step) => void
}

const GUESTS = [
  '--guest',
  'name=Ayşe,surname=Öğüt,birth_date=1990-02-03,gender=FEMALE,tc=10000000146',
  '--guest',
  'name=Can,surname=Öğüt,birth_date=1988-07-12,gender=MALE,passport=U1234567',
  '--contact',
  'name=Ayşe,surname=Öğüt,email=ayse@example.com,phone_country_code=+90,phone_number=5321234567',
]

/** One run of the demo. `stop` ends its processes and removes its files. */
export class Demo {
  private readonly directory = makeTemporaryDirectory()
  readonly kept: string[] = []
  private readonly children = new Set<ChildProcess>()
  private stopped = false

  constructor(private readonly options: DemoOptions) {}

  async run(): Promise<Step[]> {
    const {base_url, client_id, client_secret} = await this.startSandbox()
    const login = ['login', '--base-url', base_url, '--client-id', client_id, '--client-secret-stdin']
    const steps: Step[] = []
    const ended = async (done: Promise<Step>) => {
      const step = await done
      this.options.onOutput(step)
      steps.push(step)
      return step.output
    }
    const step = (why: string, argv: readonly string[], stdin = '') =>
      ended(this.start(why, argv, stdin).done)
    await step(WHY.login, login, `${client_secret}\n`)
    await step(WHY.account, ['account'])
    const checkIn = addDays(this.options.today, 60)
    const stay = [
      '--city',
      '101',
      '--check-in',
      checkIn,
      '--nights',
      '3',
      '--room',
      '2',
      '--nationality',
      'TR',
    ]
    // Few columns, to fit a narrow terminal.
    const shown = ['--limit', '3', '--columns', 'offer_id,hotel_name,board,price']
    const search = ['hotels', 'search', ...stay, '--currency', 'EUR', '--sort', 'price', ...shown]
    const [first = '', second = ''] = new Set((await step(WHY.search, search)).match(/off_[\w-]+/g))
    const referenceIn = (output: string) => found(/RSV-[0-9A-Z]{10}/, output, 'reserve')
    const paid = referenceIn(await step(WHY.reserve, ['reserve', first, '--pay', 'account', ...GUESTS]))
    await step(WHY.voucher, this.downloading(paid))
    await step(WHY.balance, ['account'])
    const port = await findFreePort()
    const url = `https://127.0.0.1:${port}/hooks`
    const create = ['webhooks', 'create', '--url', url, '--event', 'reservation.confirmed']
    const created = await step(WHY.subscribe, create)
    const address = ['--tls', '--port', String(port), '--path', '/hooks']
    const listen = ['webhooks', 'listen', ...address, '--exit-after', '1', '--within', '60']
    const listening = this.start(WHY.listen, listen)
    await listening.ready
    await step(WHY.test, ['webhooks', 'test', found(/whsub_[\w-]+/, created, 'webhooks create')])
    await ended(listening.done)
    const instant = ['reserve', second, '--pay', 'instant', ...GUESTS]
    const pending = referenceIn(await step(WHY.instant, instant))
    await step(WHY.pay, ['sandbox', 'pay', pending])
    await step(WHY.wait, [...instant, '--wait=60'])
    await step(WHY.second, this.downloading(pending))
    await step(WHY.logout, ['logout'])
    return steps
  }

  private downloading(reference: string): string[] {
    const {keep} = this.options
    if (keep === undefined) return ['voucher', 'download', reference]
    const path = join(keep, `voucher-${reference}.pdf`)
    this.kept.push(path)
    return ['voucher', 'download', reference, '--file', path]
  }

  /**
   * Ends running processes and removes the directory. Later steps are refused, because they would create the directory
   * again.
   */
  async stop(): Promise<void> {
    this.stopped = true
    const running = [...this.children]
    const ended = running.map(child => once(child, 'close'))
    for (const child of running) child.kill('SIGTERM')
    await Promise.all(ended)
    rmSync(this.directory, {recursive: true, force: true, maxRetries: 10, retryDelay: 50})
  }

  private startSandbox(): Promise<{base_url: string; client_id: string; client_secret: string}> {
    // If this process is killed, the pipe closes and the sandbox ends.
    const child = this.spawn(['sandbox', 'start', '--until-stdin-ends', '--quiet', '--json'])
    this.options.onCommand('bookctl sandbox start', WHY.start)
    child.stderr?.resume()
    return new Promise((resolve, reject) => {
      let text = ''
      child.stdout?.setEncoding('utf8').on('data', chunk => {
        text += chunk
        if (text.includes('\n')) resolve(JSON.parse(text))
      })
      child.once('close', code => reject(stepFailed('sandbox start', code ?? 1, text)))
    })
  }

  /**
   * Starts a command. `ready` resolves when the command prints that it is ready. `done` rejects unless the command
   * exits with 0.
   */
  private start(why: string, argv: readonly string[], stdin = '') {
    const quoted = argv.map(word => (/^[\p{L}\w.,:=+@/-]+$/u.test(word) ? word : `'${word}'`))
    const command = `bookctl ${quoted.join(' ')}`
    const child = this.spawn([...argv, ...(this.options.json ? ['--json'] : ['--format', 'table'])])
    this.options.onCommand(command, why)
    let output = ''
    const streams = this.options.json ? [child.stdout] : [child.stdout, child.stderr]
    const firstLine = new Promise<void>(resolve => {
      for (const stream of streams)
        stream?.setEncoding('utf8').on('data', chunk => {
          output += chunk
          if (/"type":"ready"|^(\S+Z )?Ready: /m.test(output)) resolve()
        })
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdin)
    const done = once(child, 'close').then(([code]): Step => {
      if (code !== 0) throw stepFailed(command, code ?? 1, output)
      return {command, exit: code, output}
    })
    // If another step fails first, nothing awaits this rejection.
    done.catch(() => {})
    return {ready: Promise.race([firstLine, done.then(() => undefined)]), done}
  }

  private spawn(argv: readonly string[]): ChildProcess {
    if (this.stopped) throw new Failure('interrupted', 'the demo was stopped', {code: 'interrupted'})
    const {script, execArgv, env} = this.options
    const inherited = Object.entries(env).filter(([name]) => !/^BOOKCTL_|_proxy$/i.test(name))
    const own = {BOOKCTL_CONFIG_DIR: join(this.directory, 'config'), COLUMNS: '120'}
    const child = spawn(process.execPath, [...execArgv, script, ...argv], {
      cwd: this.directory,
      env: {...Object.fromEntries(inherited), ...own},
      stdio: 'pipe',
    })
    this.children.add(child)
    child.once('close', () => this.children.delete(child))
    return child
  }
}

function found(shape: RegExp, output: string, command: string): string {
  const [text] = shape.exec(output) ?? []
  if (text) return text
  throw stepFailed(command, 0, output)
}

function stepFailed(command: string, exit: number, output: string): Failure {
  const reason = output.trim().slice(0, 300)
  return new Failure('service_failed', `the demo stopped: ${command.slice(0, 80)} ended with ${exit}`, {
    code: 'demo_failed',
    ...(reason ? {reason} : {}),
  })
}
