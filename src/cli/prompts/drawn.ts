/**
 * What every drawn question shares: where it stands on the screen, the status asked anew each second, the terminal
 * resized under it, and its end by Ctrl-C, Ctrl-D or withdrawal. The drawing itself is @inquirer/core's.
 */
import {type createPrompt, useEffect, useState} from '@inquirer/core'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {whileAsking} from '../output/talk.js'
import {cutTo} from '../output/text-width.js'
import {interruption} from './interruption.js'
import {rowsOf, wrap} from './lines.js'
import type {Asked} from './prompts.js'
import {signalOf, type Terminal} from './terminal.js'
import {GoBack} from './way-back.js'

/** A question on the screen, top to bottom; no line is wider than `columns`. */
export interface Frame {
  readonly above: readonly string[]
  /** The line with the cursor. */
  readonly line: string
  /** The cursor's column. */
  readonly cursor: number
  readonly below: readonly string[]
}

/** One question while it is asked. */
export interface Session {
  readonly terminal: Terminal
  readonly interrupt: () => void
  /** Leaves it towards the question before. */
  readonly goBack: () => void
  frame: Frame
}

/** Ours: longer than the keys that begin with Escape take to arrive, shorter than a person notices. */
const ESCAPE_MILLISECONDS = 100

type DrawnPrompt<T, Q> = ReturnType<typeof createPrompt<T, Q & {session: Session}>>

/** Asks. Throws interrupted, or the reason of the signal that withdraws the question. */
export async function askDrawn<T, Q extends Asked>(
  prompt: DrawnPrompt<T, Q>,
  question: Q,
  terminal: Terminal,
): Promise<T> {
  const stopping = new AbortController()
  const signal = AbortSignal.any([signalOf(terminal, question), stopping.signal])
  const session: Session = {
    terminal,
    interrupt: () => stopping.abort(interruption()),
    goBack: () => stopping.abort(new GoBack()),
    frame: {above: [], line: '', cursor: 0, below: []},
  }
  const {input, output} = terminal
  try {
    return await whileAsking(() => prompt({...question, session}, {input, output, signal}))
  } catch (error) {
    takeAway(session, signal.reason instanceof GoBack)
    if (signal.aborted) throw signal.reason
    throw (error as Error).name === 'ExitPromptError' ? interruption() : error
  }
}

/** Takes away what is under a question that got no answer, and with `whole` the question, too. */
function takeAway({frame, terminal: {output}}: Session, whole: boolean): void {
  const rows = frame.below.length + (whole ? frame.above.length + 1 : 0)
  if (rows > 0) output.write(`\u001b[${rows}A\r\u001b[J`)
}

/** Keeps the question whole on the screen; returns the space there is for it. A hook. */
export function useScreen(session: Session, question: Asked): {columns: number; rows: number} {
  const [, setDrawn] = useState(0)
  const {output} = session.terminal
  useEffect(rl => {
    // The line typed is shown in a window of our own, so the cursor's place is ours to tell.
    Object.assign(rl, {getCursorPos: () => ({rows: 0, cols: session.frame.cursor})})
    // Else readline appends what is pasted to the line, wherever its cursor is.
    Object.defineProperty(rl, 'isCompletionEnabled', {get: () => true, set: () => {}})
    // Ctrl-D, and a terminal that went away.
    rl.on('close', session.interrupt)
    // Else Escape is told half a second after it was pressed.
    Object.assign(rl, {escapeCodeTimeout: ESCAPE_MILLISECONDS})
    const pressed = (_: unknown, {name}: {name?: string} = {}) => {
      if (name === 'escape' && question.goesBack) session.goBack()
    }
    const {input} = session.terminal
    input.on('keypress', pressed)
    return () => {
      rl.removeListener('close', session.interrupt)
      input.off('keypress', pressed)
    }
  }, [])
  useEffect(() => {
    const redraw = () => setDrawn(times => times + 1)
    const resized = () => {
      makeRoom(session)
      redraw()
    }
    const timer = question.status ? setInterval(redraw, 1000) : undefined
    output.on('resize', resized)
    return () => {
      clearInterval(timer)
      output.off('resize', resized)
    }
  }, [])
  return spaceOf(session.terminal)
}

/** One column is left free, so that no line goes on in the next row by itself. */
function spaceOf({output}: Terminal): {columns: number; rows: number} {
  return {columns: Math.max(output.columns || 80, 12) - 1, rows: output.rows || 24}
}

/**
 * After a change of the terminal's width the rows of the frame are other ones than those that will be drawn over. Takes
 * away what is there, and goes to where the frame would end had its lines kept their number.
 */
function makeRoom({frame, terminal: {output}}: Session): void {
  const width = output.columns || 80
  const up = rowsOf(frame.above, width) + Math.floor(frame.cursor / width)
  const {length} = frame.below
  const move = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '')
  output.write(`${move(up)}\r\u001b[J${'\n'.repeat(frame.above.length + length)}${move(length)}`)
}

/** What a view returns for `frame`, cut to the height of the screen. */
export function draw(session: Session, frame: Frame): [content: string, below: string] {
  const {rows} = spaceOf(session.terminal)
  const above = frame.above.slice(-Math.max(rows - 2, 1))
  const below = frame.below.slice(0, Math.max(rows - 2 - above.length, 0))
  session.frame = {...frame, above, below}
  return [[...above, frame.line].join('\n'), below.join('\n')]
}

/** The message as lines, the last of them leading the line that is typed. */
export function headOf(
  session: Session,
  message: string,
  columns: number,
): {above: string[]; lead: string; leadWidth: number} {
  const bold = (text: string) => session.terminal.paint('header', text)
  const lines = wrap(`? ${sanitizeLine(message)}`, columns)
  const last = lines.at(-1) ?? ''
  const width = rowsOf([last], 1)
  if (width > columns / 2) return {above: lines.map(bold), lead: '> ', leadWidth: 2}
  return {above: lines.slice(0, -1).map(bold), lead: `${bold(last)} `, leadWidth: width + 1}
}

/** Why the answer will not do, and the status: lines for under the question. */
export function notesOf(
  {terminal}: Session,
  question: Asked,
  refusal: string | undefined,
  columns: number,
): string[] {
  const {paint} = terminal
  const why =
    refusal === undefined
      ? []
      : wrap(`! ${sanitizeLine(refusal)}`, columns).map(line => paint('waiting', line))
  const said = [question.status?.(), question.goesBack ? 'Esc goes back' : undefined].filter(Boolean)
  return said.length === 0 ? why : [...why, paint('faint', cutTo(sanitizeLine(said.join('; ')), columns))]
}

/** The question once it is answered: one line. */
export function drawAnswered(session: Session, message: string, answer: string, columns: number): string {
  session.frame = {above: [], line: '', cursor: 0, below: []}
  const {above, lead, leadWidth} = headOf(session, message, columns)
  return [...above, `${lead}${cutTo(sanitizeLine(answer), columns - leadWidth)}`].join('\n')
}
