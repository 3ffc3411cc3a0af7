/** How inquirer's questions look here, and the line that counts down. */
import process from 'node:process'
import type {WriteStream} from 'node:tty'
import {useEffect, useState} from '@inquirer/core'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import {painterFor} from '../colour.js'
import {cutTo, textWidth} from '../text-width.js'
import {hang} from '../wrap.js'
import type {Asked} from './prompts.js'

/** Inquirer's question types that are used here. */
export type QuestionType = 'input' | 'password' | 'select' | 'checkbox' | 'search'

/** Measured and painted for `output`. */
export function createLook(output: WriteStream) {
  const paint = painterFor(output, process.env)
  const bold = (text: string) => paint('header', text)
  const faint = (text: string) => paint('faint', text)
  const asItIs = (text: string) => text
  /** One column stays free, so that no line wraps by itself. */
  const columns = () => Math.max(output.columns || 80, 12) - 1
  const fitted = (text: string) => cutTo(sanitizeLine(text), columns())
  const headOf = (message: string) => hang(`? ${sanitizeLine(message)}`, columns(), 2)

  /** The time left, and the way back. */
  function notesOf({status, goesBack}: Asked): string[] {
    const notes = [status?.(), goesBack ? 'Esc goes back' : undefined].filter(Boolean)
    return notes.length > 0 ? [faint(fitted(`  ${notes.join('; ')}`))] : []
  }

  /** Inquirer's theme for one question. Notes are under a list, and above a line that is typed in. */
  function themeOf(asked: Asked, type: QuestionType) {
    const isLine = type === 'input' || type === 'password'
    return {
      prefix: bold('?'),
      icon: {cursor: '>', checked: ' [x]', unchecked: ' [ ]'},
      indexMode: 'number',
      style: {
        // Inquirer calls it once in each drawing, after the prefix, so a hook in it can make it draw again.
        message(message: string) {
          useEverySecond(asked.status !== undefined)
          const [first = '', ...rest] = headOf(message)
          const lines = [first.slice('? '.length), ...rest].map(bold)
          if (isLine) lines.push(...notesOf(asked))
          const hasRoom = lines.length === 1 && textWidth(first) <= columns() / 2
          if (!hasRoom && isLine) lines.push('>')
          if (!hasRoom && type === 'search') lines.push('/')
          return lines.join('\n')
        },
        keysHelpTip(keys: readonly (readonly [key: string, action: string])[]) {
          const words = keys.map(key => key.join(' '))
          const help = [...(type === 'search' ? ['type to narrow'] : []), ...words].join(', ')
          return [faint(fitted(help)), ...notesOf(asked)].join('\n')
        },
        error(text: string) {
          const lines = hang(`! ${sanitizeLine(text)}`, columns(), 2)
          return lines.map(line => paint('waiting', line)).join('\n')
        },
        searchTerm: (text: string) => sanitizeLine(text),
        maskedText: '(hidden)',
        ...{highlight: bold, help: faint, answer: asItIs, description: asItIs},
      },
    }
  }

  /** What stays on the screen of a question that is over: the answer beside the message, or below where it is long. */
  function over(message: string, answer: string): string {
    const head = headOf(message)
    const shown = sanitizeLine(answer)
    const fits = textWidth(`${head.at(-1)} ${shown}`) <= columns()
    const lines = head.map(bold).join('\n')
    return fits ? `${lines} ${shown}`.trimEnd() : `${lines}\n${fitted(`  ${shown}`)}`
  }

  return {columns, fitted, headOf, themeOf, over}
}

/** Draws the question again each second. A hook. */
function useEverySecond(counts: boolean): void {
  const [, setSeconds] = useState(0)
  useEffect(() => {
    const timer = counts ? setInterval(() => setSeconds(seconds => seconds + 1), 1000) : undefined
    return () => clearInterval(timer)
  }, [])
}
