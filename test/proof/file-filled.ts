/**
 * A disk that fills up while the answer is on its way: the service has done what it was asked for, and nothing more can be
 * written. What was done must reach the user all the same, and be found again once there is room.
 */
import {spawnSync} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {replyBytes, Wire} from '../support/wire.js'
import type {FileCommand} from './file-commands.js'
import {FILE_COMMANDS} from './file-commands.js'
import {FileHome, type Template} from './file-home.js'
import {checkDirectory, checkWords, documentOf, runErrand, told} from './file-run.js'
import type {SandboxSide} from './sandbox-side.js'

export interface FilledCell {
  readonly command: FileCommand
  /** Whose answer it is. */
  readonly method: string
  readonly path: RegExp
  /** How it may end: what is done is done. */
  readonly exits: readonly number[]
  /** What the result must hold. */
  readonly tells?: RegExp
}

const POST = 'POST'

function cell(
  name: string,
  path: RegExp,
  exits: readonly number[],
  more: Partial<FilledCell> = {},
): FilledCell {
  const command = FILE_COMMANDS.find(each => each.name === name) as FileCommand
  return {command, method: POST, path, exits, ...more}
}

export const FILLED_CELLS: readonly FilledCell[] = [
  cell('reserve', /\/reservations\/hotel$/, [0], {tells: /"outcome": "confirmed"/}),
  cell('webhooks create', /\/webhooks\/subscriptions$/, [10], {tells: /whsec_/}),
  cell('token', /\/oauth\/token$/, [0], {tells: /access_token/}),
  cell('account', /\/oauth\/token$/, [0], {tells: /balance/}),
  cell('login', /\/oauth\/token$/, [2]),
  cell('hotels search', /\/hotels\/search$/, [0, 2]),
  cell('voucher download', /\/vouchers\//, [2], {method: 'GET'}),
  cell('api --har', /\/account$/, [0], {method: 'GET', tells: /balance/}),
]

export function nameOfFilled({command}: FilledCell): string {
  return `no room once it is answered × ${command.name}`
}

export function lacksFilling(): string | undefined {
  return spawnSync('prlimit', ['--version']).status === 0
    ? undefined
    : 'needs prlimit, to fill a disk meanwhile'
}

/** Runs it; returns what is wrong, one line each. */
export async function runFilledCell(
  template: Template,
  side: SandboxSide,
  {command, method, path, exits, tells}: FilledCell,
): Promise<string[]> {
  const proxy = await Wire.start({upstream: side.origin, other: 'http://127.0.0.1:1'})
  const home = new FileHome(template)
  const config = home.path('config.json')
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll(side.origin, proxy.origin))
  let pid = 0
  proxy.strike = {
    fault: {
      forwards: true,
      *play(reply) {
        spawnSync('prlimit', ['--pid', String(pid), '--fsize=0:'])
        yield replyBytes(reply)
      },
    },
    ...{method, path},
  }
  try {
    const errand = await command.errand(home, side)
    const argv = errand.argv.map(word => word.replaceAll(side.origin, proxy.origin))
    const finished = await runErrand(
      home,
      {...errand, argv},
      {
        onStart(child) {
          pid = child.pid ?? 0
        },
      },
    )
    const {exit, stdout} = finished
    const wrong = checkWords(finished, command)
    if (!proxy.requests.some(({struck}) => struck)) wrong.push('the disk was never filled')
    if (!exits.includes(Number(exit))) wrong.push(`exit ${exit}, not ${exits.join(' or ')}`)
    if (tells && !tells.test(stdout)) wrong.push(`does not tell ${tells}`)
    if (exit === 2 && !/^storage_/.test(documentOf(finished)?.error?.code ?? ''))
      wrong.push('the code is another')
    wrong.push(...checkDirectory(home))
    proxy.strike = undefined
    if (command.name === 'reserve') wrong.push(...(await resumes(home, errand.argv)))
    else wrong.push(...((await errand.check?.(finished)) ?? []))
    return wrong.length === 0 ? [] : [...wrong, told(finished)]
  } finally {
    await proxy.close()
    home.remove()
  }
}

/** With room again the same reservation is found, by its reference and its key. */
async function resumes(home: FileHome, argv: readonly string[]): Promise<string[]> {
  const reference = argv[argv.indexOf('--client-reference') + 1] ?? ''
  const again = await home.json<{outcome?: string}>(['reserve', '--resume', reference])
  if (again.exit === 0 && again.result.outcome === 'confirmed') return []
  return [`resumed, it ends with ${again.exit}: ${JSON.stringify(again.result).slice(0, 300)}`]
}
