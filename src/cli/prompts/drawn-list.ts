/** A question answered by pointing at one or more of a list, which typing may narrow. */
import {
  createPrompt,
  isEnterKey,
  isSpaceKey,
  type KeypressEvent,
  useKeypress,
  usePagination,
  useState,
} from '@inquirer/core'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {cutTo} from '../output/text-width.js'
import {draw, drawAnswered, headOf, notesOf, type Session, useScreen} from './drawn.js'
import {NOTHING_TYPED, type Typed, typedIn} from './drawn-text.js'
import {windowOn, wrap} from './lines.js'
import type {Asked, Choice} from './prompts.js'

/** Ours: more lines of a description would leave none for the list. */
const MOST_DESCRIPTION_LINES = 9

export interface ListQuestion extends Asked {
  /** The choices for what has been typed; a list that is not `searched` is always the same. */
  readonly find: (typed: string) => readonly Choice<unknown>[]
  /** Whether typing narrows the list; else it names a number in it. */
  readonly searched: boolean
  /** Whether more than one may be chosen. */
  readonly several: boolean
  /** Index of the choice pointed at first; -1 for none. */
  readonly start: number
}

export const listPrompt = createPrompt<readonly unknown[], ListQuestion & {session: Session}>(
  (question, done) => {
    const {session, searched, several} = question
    const {columns, rows} = useScreen(session, question)
    const [typed, setTyped] = useState<Typed>(NOTHING_TYPED)
    const [pointer, setPointer] = useState(question.start)
    const [marked, setMarked] = useState<ReadonlySet<number>>(new Set())
    const [refusal, setRefusal] = useState<string | undefined>(undefined)
    const [answer, setAnswer] = useState<string | undefined>(undefined)
    const line = typed.before + typed.after
    const found = question.find(searched ? line.trim() : '')
    const active = Math.min(pointer, found.length - 1)

    const {above, lead, leadWidth} = headOf(session, question.message, columns)
    const notes = notesOf(session, question, refusal, columns)
    const {shown, cursor} = windowOn(
      sanitizeLine(typed.before),
      sanitizeLine(typed.after),
      columns - leadWidth,
    )
    const help = wrap(helpOf(question, found, active), columns)
    // One row more: the line typed in.
    const room = Math.max(1, rows - 1 - above.length - notes.length - help.length - 1)
    const most = Math.max(0, ...found.map(({description}) => description?.split('\n').length ?? 0))
    const describing = Math.min(most, MOST_DESCRIPTION_LINES, Math.floor(room / 2))
    const pageSize = Math.max(1, Math.min(found.length, room - describing))

    useKeypress((key, rl) => {
      setRefusal(undefined)
      if (isEnterKey(key)) {
        const chosen = several
          ? found.filter((_, index) => marked.has(index))
          : found.slice(Math.max(0, active), active + 1)
        if (chosen.length > 0) {
          setAnswer(chosen.map(({name}) => name).join(', '))
          done(chosen.map(({value}) => value))
          return
        }
        if (searched) rl.write(line)
        setRefusal(refusalOf(question, found.length))
        return
      }
      const moved = moveOf(key, active, found.length, pageSize)
      if (moved !== undefined) {
        setPointer(moved)
        if (!searched) clear(rl, setTyped)
      } else if (searched) {
        setTyped(typedIn(rl))
        if (rl.line !== line) setPointer(0)
      } else if (several && isSpaceKey(key)) {
        clear(rl, setTyped)
        setMarked(toggled(marked, active))
      } else {
        const number = numberOf(rl.line, found.length)
        clear(rl, setTyped)
        if (number === undefined) return
        rl.write(number)
        setTyped({before: number, after: ''})
        setPointer(Number(number) - 1)
      }
    })

    const digits = String(found.length).length
    const {paint} = session.terminal
    const page = usePagination({
      items: found,
      active: Math.max(0, active),
      pageSize,
      loop: false,
      renderItem: ({item, index}) => {
        const isActive = index === active
        const mark = several ? (marked.has(index) ? '[x] ' : '[ ] ') : ''
        const number = searched ? '' : `${String(index + 1).padStart(digits)}. `
        const text = cutTo(`${isActive ? '> ' : '  '}${mark}${number}${sanitizeLine(item.name)}`, columns)
        return isActive ? paint('header', text) : text
      },
    })
    if (answer !== undefined) return drawAnswered(session, question.message, answer, columns)
    const description = (found[active]?.description?.split('\n') ?? []).slice(0, describing)
    const below = [
      ...(found.length > 0 ? page.split('\n') : []),
      ...help.map(text => paint('faint', text)),
      ...notes,
      ...description.map(text => cutTo(`  ${sanitizeLine(text)}`, columns)),
    ]
    return draw(session, {above, line: `${lead}${shown}`, cursor: leadWidth + cursor, below})
  },
)

/** Empties the line typed. */
function clear(rl: {clearLine(direction: 0): void}, setTyped: (typed: Typed) => void): void {
  rl.clearLine(0)
  setTyped(NOTHING_TYPED)
}

function toggled(marked: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const others = [...marked].filter(one => one !== index)
  return new Set(marked.has(index) ? others : [...others, index])
}

/** The index that a key for moving leads to; undefined for any other key. */
function moveOf({name}: KeypressEvent, active: number, count: number, page: number): number | undefined {
  const last = Math.max(0, count - 1)
  const targets: Record<string, number> = {
    up: active - 1,
    down: active + 1,
    pageup: active - page,
    pagedown: active + page,
    home: 0,
    end: last,
  }
  const target = targets[name]
  return target === undefined ? undefined : Math.max(0, Math.min(target, last))
}

/** The digits typed as far as they name one of `count`: of `12` in a list of nine, `2`. */
function numberOf(line: string, count: number): string | undefined {
  const digits = line.replace(/\D/g, '')
  return [digits, digits.slice(-1)].find(text => Number(text) >= 1 && Number(text) <= count)
}

function refusalOf({several}: ListQuestion, count: number): string {
  if (several) return 'Mark one or more with the space bar.'
  return count > 0
    ? 'Type a part of it, or point at it with the arrow keys.'
    : 'Nothing matches; type another part of it.'
}

/** Actions stand in the list and are none of what it lists. */
function helpOf(
  {searched, several}: ListQuestion,
  found: readonly Choice<unknown>[],
  active: number,
): string {
  const listed = found.filter(({isAction}) => !isAction)
  const place = found[active] ? listed.indexOf(found[active]) + 1 : 0
  const count = found.length === 0 ? 'nothing matches' : `${place > 0 ? `${place} of ` : ''}${listed.length}`
  const ways = searched ? 'arrow keys move, type to narrow' : 'arrow keys or its number'
  return several ? `${count}; ${ways}, space marks, Enter ends` : `${count}; ${ways}, Enter chooses`
}
