/** What happens to a receiver in a soak, one thing after the other over its whole time, and what has to follow from it. */
import {copyFileSync, renameSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {openSqlite} from '../../../src/storage/database-file.js'
import type {Home} from '../../support/bookctl.js'
import {tlsIdentity} from '../../support/tls.js'
import {type Certificates, type makeDisk, type ReceiverProcess, servedName} from './stage.js'
import {sendForged} from './traffic.js'
import {clockOf, until, type Watch} from './watch.js'

interface Stage {
  readonly home: Home
  readonly disk: ReturnType<typeof makeDisk>
  /** The configuration directory, which is on the disk. */
  readonly directory: string
  readonly certificates: Certificates
  readonly receiver: ReceiverProcess
  readonly watch: Watch
}

/** Waits for a part of the run: `seconds`, or less in a short run. */
type Hold = (seconds: number) => Promise<unknown>

interface Episode {
  readonly name: string
  /** About how long it takes in a long run. */
  readonly seconds: number
  /** The alerts that it causes. */
  readonly alerts?: readonly string[]
  /** The alerts that it causes if it lasts as long as in a long run. */
  readonly lastingAlerts?: readonly string[]
  /** The alerts that it causes together with the next ones, if they come soon. */
  readonly alertsIfDense?: readonly string[]
  run(stage: Stage, hold: Hold): Promise<void>
}

const RELOAD_SECONDS = 20
/** The rule StoreFailing looks that far back. */
const DENSE_SECONDS = 60
const PATIENCE_SECONDS = 30

const EPISODES: readonly Episode[] = [
  {
    name: 'status and a backup while it receives',
    seconds: 15,
    async run(stage) {
      await checkStatus(stage, 0)
      const backup = ['webhooks', 'events', 'backup', backupOf(stage), '--force']
      const {exit, stderr} = await stage.home.spawn(backup, environmentOf(stage))
      if (exit !== 0) stage.watch.note(`backup ended with ${exit}: ${stderr}`)
    },
  },
  {
    name: 'another certificate',
    seconds: RELOAD_SECONDS,
    async run(stage) {
      stage.certificates.use('second')
      await checkServed(stage, 'second')
    },
  },
  {
    name: 'a certificate without its key, and then with it',
    seconds: 3 * RELOAD_SECONDS,
    async run(stage) {
      stage.certificates.use('third', 'second')
      await checkSaid(stage, 'the new certificate is not used')
      await checkServed(stage, 'second')
      stage.certificates.use('third')
      await checkServed(stage, 'third')
    },
  },
  {
    name: 'a certificate that has expired',
    seconds: 2 * RELOAD_SECONDS,
    async run(stage) {
      stage.certificates.useFiles(tlsIdentity('expired'))
      await checkSaid(stage, 'it expired at')
      await checkServed(stage, 'third')
      stage.certificates.use('third')
    },
  },
  {
    name: 'forged events',
    seconds: 20,
    alerts: ['EventsRefused'],
    async run({receiver, watch}, hold) {
      for (let n = 0; n < 20; n++) {
        const status = await sendForged(receiver.port)
        if (status !== 401) watch.note(`a forged event was answered ${status}`)
      }
      await hold(20)
    },
  },
  {
    name: 'the file of the store is moved away',
    seconds: 30,
    alerts: ['EventsBusy'],
    alertsIfDense: ['StoreFailing'],
    async run(stage, hold) {
      const path = storeOf(stage)
      await failingStore(stage, hold, 20, {
        fail: () => renameSync(path, `${path}.away`),
        repair: () => renameSync(`${path}.away`, path),
      })
    },
  },
  {
    name: 'another file takes the place of the store',
    seconds: 30,
    async run(stage, hold) {
      const path = storeOf(stage)
      await failingStore(stage, hold, 20, {
        fail() {
          renameSync(path, `${path}.away`)
          copyFileSync(backupOf(stage), path)
        },
        repair: () => renameSync(`${path}.away`, path),
      })
    },
  },
  {
    name: 'the files of the store are moved away',
    seconds: 30,
    async run(stage, hold) {
      const files = ['', '-wal', '-shm'].map(side => storeOf(stage) + side)
      await failingStore(stage, hold, 20, {
        fail() {
          for (const file of files) renameSync(file, `${file}.away`)
        },
        repair() {
          for (const file of files) renameSync(`${file}.away`, file)
        },
      })
    },
  },
  {
    name: 'the disk is full',
    seconds: 120,
    lastingAlerts: ['StoreFailing'],
    async run(stage, hold) {
      // A small commit fits in now and then, and it is ready until the next one.
      const during = 'either'
      await failingStore(stage, hold, 80, {
        fail: () => stage.disk.fill(),
        repair: () => stage.disk.free(),
        during,
      })
    },
  },
  {
    name: 'a certificate that ends soon',
    seconds: 40 + RELOAD_SECONDS,
    alerts: ['CertificateEnds'],
    async run(stage) {
      stage.certificates.use('short')
      await checkServed(stage, 'short')
      await checkSaid(stage, 'the certificate ends at')
      await sleep(20_000)
      stage.certificates.use('first')
      await checkServed(stage, 'first')
    },
  },
  {
    name: 'an event that waits for two hours, and then for four days',
    seconds: 60,
    alerts: ['ForwardsOld', 'ForwardsGivenUp'],
    async run(stage) {
      ageForwards(stage, 2 * 3600, "sequence = (SELECT min(sequence) FROM forwards WHERE state = 'pending')")
      await sleep(20_000)
      await checkStatus(stage, 8)
      ageForwards(stage, 4 * 24 * 3600, "target LIKE '%/never'")
      const {last} = stage.watch
      const isGivenUp = () =>
        Object.entries(stage.watch.last).some(([name, value]) => /result="given_up"/.test(name) && value > 0)
      if (!(await until(PATIENCE_SECONDS, isGivenUp)))
        stage.watch.note(`nothing was given up: ${JSON.stringify(last)}`)
    },
  },
  {
    name: 'the process is stopped for a while',
    seconds: 160,
    lastingAlerts: ['ReceiverDown'],
    async run({receiver, watch}, hold) {
      watch.expectsReady = undefined
      receiver.signal('SIGSTOP')
      await hold(145)
      receiver.signal('SIGCONT')
      await sleep(10_000)
      watch.expectsReady = true
    },
  },
]

/** Alerts that last for as long as what they are about: they must be over at the end. */
const PASSING = ['ReceiverDown', 'StoreFailing', 'AnswersSlow', 'ForwardsOld', 'CertificateEnds', 'NoEvents']

export class Course {
  /** When each alert had its first cause, in Unix seconds. */
  private readonly causes = new Map<string, number>()
  private readonly scale: number
  private readonly pauseSeconds: number

  constructor(
    private readonly stage: Stage,
    private readonly minutes: number,
  ) {
    const all = EPISODES.reduce((seconds, each) => seconds + each.seconds, 0)
    this.scale = Math.min(1, (minutes * 60 * 0.8) / all)
    this.pauseSeconds = Math.max(5, (minutes * 60 - all) / (EPISODES.length + 1))
  }

  async run(): Promise<void> {
    const {stage, minutes, scale, pauseSeconds} = this
    const end = performance.now() + minutes * 60_000
    for (const episode of EPISODES) {
      await sleep(pauseSeconds * 1000)
      console.error(`${clockOf(Date.now() / 1000)} ${episode.name}`)
      const {alerts = [], lastingAlerts = [], alertsIfDense = []} = episode
      const possible = [...alerts, ...lastingAlerts, ...(pauseSeconds < DENSE_SECONDS ? alertsIfDense : [])]
      for (const alert of possible) if (!this.causes.has(alert)) this.causes.set(alert, Date.now() / 1000)
      await episode
        .run(stage, seconds => sleep(seconds * scale * 1000))
        .catch(error => {
          stage.watch.note(`${episode.name}: ${(error as Error).stack}`)
        })
    }
    // Episodes may be shorter than planned.
    await sleep(Math.max(pauseSeconds * 1000, end - performance.now()))
  }

  /** Compares the alerts that fired with their causes. */
  checkAlerts(fired: ReadonlyMap<string, readonly number[]>): string[] {
    const wrong: string[] = []
    for (const [name, times] of fired) {
      const [first = 0] = times
      if (first < (this.causes.get(name) ?? Number.POSITIVE_INFINITY))
        wrong.push(`${name} fired without a cause at ${clockOf(first)}`)
      if (PASSING.includes(name) && (times.at(-1) ?? 0) > Date.now() / 1000 - 10)
        wrong.push(`${name} still fires`)
    }
    const lasting = EPISODES.flatMap(({lastingAlerts = []}) => lastingAlerts)
    for (const name of this.causes.keys())
      if (!fired.has(name) && (this.scale === 1 || !lasting.includes(name)))
        wrong.push(`${name} did not fire`)
    return wrong
  }
}

const storeOf = ({directory}: Stage) => join(directory, 'events.db')
const backupOf = ({disk}: Stage) => join(disk.path, 'backup.db')
const environmentOf = ({directory}: Stage) => ({env: {BOOKCTL_CONFIG_DIR: directory}})

/** A receiver that cannot write reports nothing, which is noticed after some seconds. */
async function checkStatus(stage: Stage, expected: number): Promise<void> {
  let last = ''
  const isExpected = async () => {
    const finished = await stage.home.spawn(['webhooks', 'status', '--json'], environmentOf(stage))
    last = `${finished.exit}: ${finished.stdout}${finished.stderr}`
    return finished.exit === expected
  }
  if (!(await until(PATIENCE_SECONDS, isExpected)))
    stage.watch.note(`status should end with ${expected}, and ended with ${last}`)
}

async function checkServed({receiver, watch}: Stage, name: string): Promise<void> {
  const isServed = async () => (await servedName(receiver.port)) === name
  if (!(await until(PATIENCE_SECONDS, isServed))) watch.note(`the certificate ${name} is not used`)
}

/** Waits for a line of the log that is new. */
async function checkSaid({receiver, watch}: Stage, text: string): Promise<void> {
  const isSaid = () => receiver.said.some(line => line.includes(text))
  if (!(await until(PATIENCE_SECONDS, isSaid))) watch.note(`the log does not say: ${text}`)
}

/** Makes the store fail, until it is repaired after `seconds`. It says that it is not ready, and then that it is. */
async function failingStore(
  stage: Stage,
  hold: Hold,
  seconds: number,
  {
    fail,
    repair,
    during = false,
  }: {readonly fail: () => void; readonly repair: () => void; readonly during?: false | 'either'},
): Promise<void> {
  const {receiver, watch} = stage
  const isReady = async () => (await fetch(`${receiver.adminUrl}/readyz`)).status === 200
  watch.expectsReady = 'either'
  const began = performance.now()
  const {store_works: before = 0} = receiver.counts
  fail()
  if (!(await until(PATIENCE_SECONDS, async () => !(await isReady()))))
    watch.note('it is still ready, and its store fails')
  console.error(`not ready after ${((performance.now() - began) / 1000).toFixed(1)} s`)
  watch.expectsReady = during
  await checkStatus(stage, 8)
  await hold(seconds)
  watch.expectsReady = 'either'
  const repaired = performance.now()
  repair()
  if (!(await until(PATIENCE_SECONDS, isReady))) watch.note('it is not ready, and its store works')
  console.error(`ready again after ${((performance.now() - repaired) / 1000).toFixed(1)} s`)
  watch.expectsReady = true
  const isSaid = () => (receiver.counts.store_works ?? 0) > before
  if (!(await until(PATIENCE_SECONDS, isSaid))) watch.note('the log does not say that the store works again')
  const times = (receiver.counts.store_works ?? 0) - before
  if (times > 1) watch.note(`the log says ${times} times that the store works again`)
}

/** Makes the events of pending forwards older, in the store itself, since nobody waits for days. They are due at once. */
function ageForwards(stage: Stage, seconds: number, which: string): void {
  const database = openSqlite(storeOf(stage), {timeout: 10_000})
  const chosen = `SELECT sequence FROM forwards WHERE state = 'pending' AND ${which}`
  const made = database
    .prepare(`UPDATE events SET received_at = received_at - ? WHERE sequence IN (${chosen})`)
    .run(seconds)
  database.prepare(`UPDATE forwards SET next_attempt_at = 0 WHERE state = 'pending' AND ${which}`).run()
  database.close()
  if (made.changes === 0) stage.watch.note('no forward is pending that could be made older')
}
