/** A question answered by a typed line. */
import {createPrompt, isEnterKey, useKeypress, useState} from '@inquirer/core'
import stringWidth from 'string-width'
import {sanitizeLine} from '../../contract/foreign-text.js'
import {cutTo} from '../output/text-width.js'
import {draw, drawAnswered, headOf, notesOf, type Session, useScreen} from './drawn.js'
import {refusalOf} from './interruption.js'
import {windowOn} from './lines.js'
import type {TextQuestion} from './prompts.js'
import {answerOf, messageOf} from './words.js'

export interface Typed {
  readonly before: string
  readonly after: string
}

export const NOTHING_TYPED: Typed = {before: '', after: ''}

/** The line as readline has it, at its cursor. */
export function typedIn(rl: {readonly line: string}): Typed {
  const {cursor} = rl as {cursor?: number}
  return {before: rl.line.slice(0, cursor), after: cursor === undefined ? '' : rl.line.slice(cursor)}
}

export const textPrompt = createPrompt<string, TextQuestion & {session: Session}>((question, done) => {
  const {session, secret, hint, check} = question
  const {columns} = useScreen(session, question)
  const [typed, setTyped] = useState<Typed>(NOTHING_TYPED)
  const [refusal, setRefusal] = useState<string | undefined>(undefined)
  const [answer, setAnswer] = useState<string | undefined>(undefined)
  const line = typed.before + typed.after
  useKeypress((key, rl) => {
    if (!isEnterKey(key)) {
      setRefusal(undefined)
      setTyped(typedIn(rl))
      return
    }
    const value = answerOf(question, line)
    const why = refusalOf(check, value)
    if (why === undefined) {
      setAnswer(value)
      done(value)
      return
    }
    // Enter took the line away; it stays, to be corrected.
    rl.write(line)
    setTyped({before: line, after: ''})
    setRefusal(why)
  })
  if (answer !== undefined)
    return drawAnswered(
      session,
      question.message,
      secret ? '(hidden)' : answeredText(question, answer),
      columns,
    )
  const {above, lead, leadWidth} = headOf(session, messageOf(question), columns)
  const notes = notesOf(session, question, refusal, columns)
  if (secret) return draw(session, {above, line: lead, cursor: leadWidth, below: notes})
  const room = columns - leadWidth
  const {shown, cursor} = windowOn(sanitizeLine(typed.before), sanitizeLine(typed.after), room)
  const said = sanitizeLine(hint?.(line) ?? '')
  const dim = (text: string) => session.terminal.paint('faint', text)
  const beside = room - stringWidth(shown) - 2
  const fits = stringWidth(said) <= beside
  return draw(session, {
    above,
    line: `${lead}${shown}${said !== '' && fits ? `  ${dim(said)}` : ''}`,
    cursor: leadWidth + cursor,
    below: said !== '' && !fits ? [dim(cutTo(said, columns)), ...notes] : notes,
  })
})

function answeredText({hint, keepsHint}: TextQuestion, answer: string): string {
  const meant = keepsHint ? hint?.(answer) : undefined
  return meant ? `${answer}  ${meant}` : answer
}
