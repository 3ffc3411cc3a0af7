/** Colour on terminals, never as the only sign of anything; disabling variables win over forcing ones. */
import colours from 'picocolors'

// hasColour decides: the package itself checks only stdout, and fewer variables.
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

/** The painter for `stream`; its texts must be sanitised. */
export function painterFor(stream: {readonly isTTY?: boolean}, env: NodeJS.ProcessEnv): Painter {
  if (!hasColour(stream, env)) return unpainted
  return (style, text) => (text === '' ? '' : STYLES[style](text))
}

export const unpainted: Painter = (_, text) => text

/** The style of a state, by the words that services use; undefined for neutral ones. */
export function styleOfState(word: string): Style | undefined {
  if (/^(confirmed|ok|valid|true|delivered|succeeded|done|active|ready)$/i.test(word)) return 'good'
  if (/^(pending\w*|unknown|waiting|warn\w*|outcome_unknown)$/i.test(word)) return 'waiting'
  if (/^(cancel+ed|failed|invalid|refused|expired|abandoned|given_up|rejected|fail|error)$/i.test(word))
    return 'bad'
  return undefined
}

/** Whether the environment asks for plain lines: BOOKCTL_ACCESSIBLE, or a terminal that cannot move its cursor. */
export function wantsAccessible(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.BOOKCTL_ACCESSIBLE) || env.TERM === 'dumb'
}

/** Signs of how something went; words in plain lines, which may be read aloud. */
export function marksFor(env: NodeJS.ProcessEnv): Readonly<Record<'good' | 'bad' | 'waiting', string>> {
  return wantsAccessible(env)
    ? {good: 'ok', bad: 'failed', waiting: 'note'}
    : {good: '✓', bad: '✗', waiting: '!'}
}
