/** Which cells the search for leaks has: all of the long form, and those of the short one. */
import {ECHOES, type Echo} from './echo-service.js'
import type {Fault} from './fault.js'
import {ROWS, type Row} from './fault-rows.js'
import {FAULTS} from './faults.js'
import type {LeakCell} from './leak-cell.js'
import {nameOfStrike, type Strike} from './leak-strike.js'
import {ALL, SWITCHES, type Switch} from './leak-switches.js'
import {isMeant} from './matrix.js'

/** Commands whose request or answer carries more than the token. */
const HOLDS_SECRETS = /^(login|token|logout|profiles:remove|reserve$|voucher:download|webhooks:create|api$)/

/** Ours: the other commands meet one in so many faults each, another command the next one, so that the whole ends in half an hour. */
const ONE_FAULT_IN = 5

/**
 * Not the whole product, which would take a day: commands that hold secrets with every switch and every echo, and with
 * every fault of the wire; every other command with every echo and some faults. Where not every switch is tried they
 * take turns, so that of command and switch, and of strike and switch, every pair has its cells. --json is there in every
 * other one.
 */
export function allLeakCells(): LeakCell[] {
  const turns = new Map<string, number>()
  /** Each strike begins with another switch, and goes on with the next one at the next command. */
  const inTurn = (row: Row, strikes: readonly Strike[]) =>
    strikes.map((strike, s) => {
      const turn = turns.get(nameOfStrike(strike)) ?? s
      turns.set(nameOfStrike(strike), turn + 1)
      return cell(row, SWITCHES[turn % SWITCHES.length] as Switch, strike, turn)
    })
  return ROWS.flatMap((row, r) => {
    const echoes = ECHOES.filter(echo => allows(row, echo)).map((echo): Strike => ({echo}))
    const faults = FAULTS.filter(fault => meets(row, fault)).map((fault): Strike => ({fault}))
    const holdsSecrets = HOLDS_SECRETS.test(row.command)
    const each = holdsSecrets
      ? SWITCHES.flatMap((debug, d) => echoes.map((strike, e) => cell(row, debug, strike, r + d + e)))
      : inTurn(row, echoes)
    const met = holdsSecrets ? faults : faults.filter((_, f) => (f + r) % ONE_FAULT_IN === 0)
    return [...each, ...inTurn(row, met)]
  })
}

/** Every row, every switch and every echo at least once, and a fault of each kind. */
export function shortLeakCells(): LeakCell[] {
  const echoed = ROWS.map((row, n) => {
    const echoes = ECHOES.filter(echo => allows(row, echo))
    const debug = n % 2 === 0 ? ALL : (SWITCHES[((n - 1) / 2) % SWITCHES.length] as Switch)
    return {row, with: debug, strike: {echo: echoes[(n * 5) % echoes.length] as Echo}, isJson: n % 3 !== 0}
  })
  const kinds = [...new Set(FAULTS.map(({conclusion}) => conclusion.kind))]
  const rows = ROWS.filter(({command}) => HOLDS_SECRETS.test(command))
  const struck = kinds.map((kind, n) => {
    // Those that wait for the end of time are for the long form.
    const fault = FAULTS.find(
      ({conclusion}) => conclusion.kind === kind && !(conclusion.kind === 'lost' && conclusion.stalls),
    ) as Fault
    const able = rows.filter(row => meets(row, fault))
    const row = able[(n * 3) % able.length] as Row
    return {row, with: ALL, strike: {fault}, isJson: n % 2 === 0}
  })
  return [...echoed, ...struck]
}

function cell(row: Row, debug: Switch, strike: Strike, turn: number): LeakCell {
  return {row, with: debug, strike, isJson: turn % 2 === 0}
}

/** A guessed path is not called on a service elsewhere (§4.9), so nothing is asked there that could be told. */
function meets(row: Row, fault: Fault): boolean {
  return isMeant(row, fault) && !(row.isGuessed && fault.away)
}

/** `listen --subscribe` waits for events once it is subscribed; a reset of the sandbox would take away what the others need. */
function allows({command}: Row, echo: Echo): boolean {
  if (command === 'webhooks:listen') return !['nothing', 'record-200'].includes(echo.name)
  return command !== 'sandbox:reset' || !echo.forwards
}
