/**
 * Soak: `webhooks listen` runs for a long time at 200 events a second, while everything around it fails in turn: the target, the
 * disk, the files of its store, its certificate, and the process itself. Its memory stays flat, no event that was answered 200 is
 * lost, it says when it is not ready, and a Prometheus server with the rules of docs/operations.md raises the alerts that it
 * should and no others. course.ts has what fails; stage.ts what it runs on; traffic.ts who sends and who is forwarded to.
 */
import {spawn} from 'node:child_process'
import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {createInterface} from 'node:readline'
import {setTimeout as sleep} from 'node:timers/promises'
import {openSqlite} from '../../../src/storage/database-file.js'
import {ENTRY, Home} from '../../support/bookctl.js'
import {randomOf} from '../kills/kills.js'
import {type Cell, type Own, type Part, part} from '../shared/part.js'
import {Course} from './course.js'
import {lacksPrometheus, startPrometheus} from './prometheus.js'
import {Certificates, lacksDisk, makeDisk, type ReceiverProcess, startReceiver} from './stage.js'
import {type Mood, Sender, startMoodyTarget, type Target} from './traffic.js'
import {clockOf, until, Watch} from './watch.js'

const PER_SECOND = 200
/** Room for the events of an hour, and as much again. */
const DISK_MEGABYTES = 3000
/** The most that the last quarter of a long run may have more memory than its second quarter. */
const MOST_GROWTH = 1.15
const MOST_GROWTH_MEGABYTES = 16
/** Shorter runs say nothing about memory. */
const LONG_MINUTES = 15
/** Forwards are tried again after at most six minutes. */
const DRAIN_SECONDS = 600

/** Returns the part for a run of `minutes`. It fails on a machine that lacks what it needs. */
export function soak(minutes: number): Part {
  const run: Cell<object>['run'] = async (_, seed, own) => {
    const lacks = [lacksDisk(), lacksPrometheus()].filter(each => each !== undefined)
    return lacks.length > 0 ? lacks : soakFor(minutes, seed, own)
  }
  const cells = [{name: `${minutes} minutes`, group: 'webhooks listen', run}]
  return part<object>({title: 'Soak', unit: 'minutes', cells})
}

async function soakFor(minutes: number, seed: number, own: Own) {
  const home = own(new Home())
  const disk = own(makeDisk(home.directory, DISK_MEGABYTES))
  const directory = join(disk.path, 'config')
  mkdirSync(directory, {mode: 0o700})
  const certificates = new Certificates(home.directory)
  for (const name of ['first', 'second', 'third']) certificates.make(name, 90)
  certificates.make('short', 10)
  certificates.use('first')
  const most = Math.ceil(minutes * 60 * PER_SECOND * 1.2)
  const target = own(await startMoodyTarget(most))
  const routes = ['--forward-to', target.url, '--forward-to', `voucher.*=${target.urlThatFails}`]
  const files = ['--cert', certificates.cert, '--key', certificates.key]
  const receiver = own(await startReceiver(home, directory, [...routes, ...files]))
  const alerts = own(await startPrometheus(home.directory, receiver.adminUrl))
  const sender = own(new Sender(receiver.port, PER_SECOND, most))
  const watch = own(new Watch(receiver, alerts, sender, target))
  const stage = {home, disk, directory, certificates, receiver, watch, sender, target}

  const random = randomOf(seed, 'soak')
  const ending = new AbortController()
  const around = [changeMoods(target, minutes, ending.signal), reloadOften(receiver, random, ending.signal)]
  const course = new Course(stage, minutes)
  await course.run()
  ending.abort()
  await Promise.all(around)
  target.become('answers')

  sender.finish()
  const drained = await until(DRAIN_SECONDS, () => !sender.isBusy && missing(sender, target) === 0)
  // So that the last state of the alerts is known.
  await sleep(10_000)
  const wrong = drained ? [] : ['events are still to be forwarded']
  const fired = await alerts.fired()
  wrong.push(...course.checkAlerts(fired))
  const stored = watch.last['bookctl_webhook_requests_total{outcome="stored"}']
  watch.close()
  receiver.signal('SIGTERM')
  const exit = await receiver.ended
  if (exit !== 143) wrong.push(`it ended with ${exit}`)
  if (receiver.counts.stopped !== 1) wrong.push('it has no closing line')
  wrong.push(...watch.wrong, ...receiver.odd, ...sender.odd, ...target.odd)
  wrong.push(...checkMemory(watch.megabytes, minutes))
  wrong.push(...(await checkStored(directory, sender, stored)), ...checkForwarded(sender, target))
  for (const [name, times] of fired)
    console.error(`fired: ${name}, ${times.length * 5} s from ${clockOf(times[0])}`)
  for (const line of receiver.said) console.error(line)
  return {count: minutes, wrong}
}

/** The target changes its mood: it answers for half of the time, and fails, hangs and cuts connections in the other half. */
async function changeMoods(target: Target, minutes: number, signal: AbortSignal): Promise<void> {
  const shares: readonly (readonly [Mood, number])[] = [
    ['answers', 0.5],
    ['fails', 0.2],
    ['hangs', 0.2],
    ['cuts', 0.1],
  ]
  const cycle = Math.min(300, minutes * 20) * 1000
  while (!signal.aborted)
    for (const [mood, share] of shares) {
      target.become(mood)
      await sleep(cycle * share, undefined, {signal}).catch(() => {})
    }
}

async function reloadOften(
  receiver: ReceiverProcess,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(10_000 + 20_000 * random(), undefined, {signal}).catch(() => {})
    receiver.signal('SIGHUP')
  }
}

/** Compares the memory of the second and the last quarter of a long run. */
function checkMemory(megabytes: readonly number[], minutes: number): string[] {
  const at = (minute: number) => megabytes[Math.min(megabytes.length - 1, minute * 12)]?.toFixed(0)
  const middle = (from: number, to: number) => {
    const part = megabytes.slice(Math.floor(megabytes.length * from), Math.floor(megabytes.length * to))
    return part.sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0
  }
  const [second, last] = [middle(0.25, 0.5), middle(0.75, 1)]
  const settled = megabytes.slice(Math.min(60, megabytes.length / 2))
  const slope = slopeOf(settled) * 12 * 60
  const marks = [5, 15, 30, 60]
    .filter(minute => minute <= minutes)
    .map(minute => `${at(minute)} MB at ${minute} min`)
  console.error(
    `memory: ${marks.join(', ')}; at most ${Math.max(...megabytes).toFixed(0)} MB; ${slope.toFixed(1)} MB an hour`,
  )
  const isFlat = last <= second * MOST_GROWTH + MOST_GROWTH_MEGABYTES
  if (minutes < LONG_MINUTES || isFlat) return []
  return [`its memory grew from ${second.toFixed(0)} to ${last.toFixed(0)} MB`]
}

/** Returns the slope of the line through the values, by least squares. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const up = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  return up / values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
}

/** How many events were answered 200 and never taken by the target. */
function missing(sender: Sender, target: Target): number {
  return sender.answered.reduce((count, answered, n) => count + (answered && !target.taken[n] ? 1 : 0), 0)
}

/**
 * Exports the store: it has each event that was answered 200, once, and those that the metrics count. It may have a few more, which
 * were answered 503 because the files were moved just after they were stored.
 */
async function checkStored(directory: string, sender: Sender, stored: number | undefined): Promise<string[]> {
  const seen = new Uint8Array(sender.answered.length)
  const wrong: string[] = []
  const env = {...process.env, BOOKCTL_CONFIG_DIR: directory}
  const child = spawn(process.execPath, [ENTRY, 'webhooks', 'events', 'export'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let rows = 0
  for await (const line of createInterface({input: child.stdout})) {
    rows += 1
    const {event_id} = JSON.parse(line) as {event_id: string}
    const n = Number(event_id.replace('evt_', ''))
    if (seen[n]) wrong.push(`${event_id} is stored twice`)
    seen[n] = 1
  }
  const lost = sender.answered.reduce((count, answered, n) => count + (answered && !seen[n] ? 1 : 0), 0)
  console.error(
    `events answered 200: ${sum(sender.answered)}; exported: ${rows}; by the metrics: ${stored}; lost: ${lost}`,
  )
  if (lost > 0) wrong.push(`${lost} events were answered 200 and are not stored`)
  if (!(stored !== undefined && rows >= stored))
    wrong.push(`${rows} events are stored, and the metrics say ${stored}`)
  const database = openSqlite(join(directory, 'events.db'), {timeout: 1000})
  const problems = database.prepare('PRAGMA integrity_check').all() as {integrity_check: string}[]
  database.close()
  for (const {integrity_check: problem} of problems) if (problem !== 'ok') wrong.push(problem)
  return wrong
}

function checkForwarded(sender: Sender, target: Target): string[] {
  const lost = missing(sender, target)
  const times = target.taken.reduce((count, each) => count + each, 0)
  const once = target.taken.reduce((count, each) => count + (each > 0 ? 1 : 0), 0)
  console.error(`forwarded: ${once} events, ${times - once} of them again; not forwarded: ${lost}`)
  return lost > 0 ? [`${lost} events were answered 200 and not forwarded`] : []
}

const sum = (values: Uint8Array) => values.reduce((count, each) => count + each, 0)
