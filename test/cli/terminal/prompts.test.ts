import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, test} from 'vitest'
import {converse, ends, KEYS} from '../../support/terminal.js'
import {ACCESSIBLE, ask, askInPlainSurroundings, askReally} from './prompts/asking.js'
import type {QuestionName} from './prompts/questions.js'

askInPlainSurroundings()

describe('Escape', () => {
  test('goes back a question, which takes its place; Enter keeps the answer', async () => {
    const terminal = ask(['chain'])
    await converse(
      terminal,
      ['Guest name', 'Ayşe\r'],
      ['Esc goes back', '3\r'],
      ['Which city', 'ık 12\r'],
      ['offer ends soon; Esc goes back', KEYS.escape],
      ['> Otel Işık 12'],
      ['Esc goes back'],
    )
    expect(terminal.screen()).not.toContain('offer ends soon')
    terminal.press('escape')
    await converse(terminal, ['> 3. ', KEYS.escape], ['Guest name (Ayşe)'])
    // Typed directly after Escape, this is not read as part of an escape sequence.
    terminal.type('Öz\r')
    await ends(
      terminal,
      0,
      ['> 3. ', '\r'],
      ['> Otel Işık 12', '\r'],
      ['Reserve this?'],
      ['offer ends soon', 'y\r'],
      ['["Öz",3,12,true]'],
    )
  })

  test('twice, however quickly, goes back twice', async () => {
    const terminal = ask(['chain'])
    await converse(
      terminal,
      ['Guest name', 'Ayşe\r'],
      ['Esc goes back', '3\r'],
      ['Which city', 'ık 12\r'],
      ['Reserve this?', KEYS.escape + KEYS.escape],
      ['> 3. ', KEYS.escape],
      ['Guest name (Ayşe)', '\r'],
      ['> 3. ', '\r'],
      ['> Otel Işık 12', KEYS.escape],
    )
    await sleep(30)
    terminal.press('escape')
    await ends(terminal, 9, ['Guest name (Ayşe)', KEYS['ctrl-c']])
  })

  test('is not mistaken for an arrow key that arrives in parts', async () => {
    const terminal = ask(['chain'])
    await converse(terminal, ['Guest name', 'Ayşe\r'], ['> 1. ', '\u001b'])
    await sleep(10)
    terminal.type('[B')
    await ends(terminal, 9, ['> 2. ', KEYS['ctrl-c']])
  })

  test('has its own line in plain output', async () => {
    const terminal = ask(['chain'], ACCESSIBLE)
    await ends(
      terminal,
      9,
      ['Guest name: ', 'Ayşe\r'],
      ['Number from 1 to 40 (< goes back): ', '<\r'],
      ['Guest name (Ayşe): ', '\r'],
      ['Number from', KEYS['ctrl-d']],
    )
  })
})

describe.each([
  ['drawn', {}],
  ['plain lines', ACCESSIBLE],
])('%s', (_, env) => {
  test('Ctrl-D leaves a real terminal as it was, whatever else keeps the process alive', async () => {
    const terminal = askReally(['busy', 'choose'], env)
    await ends(terminal, 9, ['1. ', KEYS['ctrl-d']])
    expect(terminal.screen()).toContain('interrupted at a question')
    const last = (sequence: string) => terminal.raw().lastIndexOf(sequence)
    expect(last('\u001b[?25l')).toBeLessThanOrEqual(last('\u001b[?25h'))
  })

  test.each<[QuestionName, string]>([
    ['text', 'Guest name'],
    ['secret', 'Client secret'],
    ['search', 'Which city'],
    ['confirm', 'Reserve this?'],
  ])('Ctrl-D ends the question: %s', async (question, seen) => {
    const terminal = ask([question], env)
    await ends(terminal, 9, [seen, KEYS['ctrl-d']])
    expect(terminal.screen()).toContain('interrupted at a question')
  })

  test('a withdrawn question ends with the reason', async () => {
    const terminal = ask(['withdrawn'], env)
    await ends(terminal, 9, ['the offer has ended'])
  })

  test('text typed or pasted before a confirmation does not confirm', async () => {
    const terminal = ask(['late'], env)
    terminal.type('y\ry\ryes\r')
    await ends(terminal, 0, ['Reserve this?', '\r'], ['false'])
  })

  test('text of the service cannot move the cursor or make lines', async () => {
    const terminal = ask(['hostile'], env)
    await ends(terminal, 0, ['1. ', '1\r'], ['end'])
    expect(terminal.screen()).toContain('Hotel\\u001b[2J\\u0007\\nsecond line')
    expect(terminal.raw()).not.toContain('\u001b[2J')
  })
})
