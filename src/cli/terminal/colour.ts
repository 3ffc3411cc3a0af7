/**
 * Colours text for terminals. Colour never carries information that the text does not. Variables that disable colour
 * override those that force it.
 */
import colours from 'picocolors'

// The function hasColour decides, because the package checks only stdout and fewer variables.
const {bold, cyan, dim, green, magenta, red, yellow} = colours.createColors(true)

const STYLES = {
  header: bold,
  good: green,
  waiting: yellow,
  bad: red,
  error: (text: string) => bold(red(text)),
  hint: cyan,
  live: (text: string) => bold(magenta(text)),
  faint: dim,
}

export type Style = keyof typeof STYLES

export type Painter = (style: Style, text: string) => string

export function hasColour(stream: {readonly isTTY?: boolean}, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR || env.TERM === 'dumb') return false
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR)
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true
  return Boolean(stream.isTTY) && env.CLICOLOR !== '0'
}

/** Returns a function that colours text for `stream`. The text must already be sanitised. */
export function painterFor(stream: {readonly isTTY?: boolean}, env: NodeJS.ProcessEnv): Painter {
  if (!hasColour(stream, env)) return unpainted
  return (style, text) => (text === '' ? '' : STYLES[style](text))
}

export const unpainted: Painter = (_, text) => text

/** Returns the style for a state, by the words that services use, or undefined for a neutral state. */
export function styleOfState(word: string): Style | undefined {
  if (/^(confirmed|ok|valid|true|delivered|succeeded|done|active|ready)$/i.test(word)) return 'good'
  if (/^(pending\w*|unknown|waiting|warn\w*|outcome_unknown)$/i.test(word)) return 'waiting'
  if (/^(cancel+ed|failed|invalid|refused|expired|abandoned|given_up|rejected|fail|error)$/i.test(word))
    return 'bad'
  return undefined
}

/** Reports whether to print plain lines: if BOOKCTL_ACCESSIBLE is set, or the terminal cannot move its cursor. */
export function wantsAccessible(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.BOOKCTL_ACCESSIBLE) || env.TERM === 'dumb'
}

/**
 * Returns the marks for success, failure and waiting. In accessible mode they are words, which a screen reader can read
 * aloud.
 */
export function marksFor(env: NodeJS.ProcessEnv): Readonly<Record<'good' | 'bad' | 'waiting', string>> {
  return wantsAccessible(env)
    ? {good: 'ok', bad: 'failed', waiting: 'note'}
    : {good: '✓', bad: '✗', waiting: '!'}
}
