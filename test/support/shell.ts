/** Runs lines as a user types them in a home. A line with a single command runs inside this process, any other line in bash. */
import {execFile} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {promisify} from 'node:util'
import {ENTRY, type Finished, type Home} from './bookctl.js'

/** Syntax that only a shell understands. */
const SYNTAX = /[|<>;&`*]|\$\(/

export class Shell {
  /** The environment of the next line. Variables that a line exports are added. */
  env: Record<string, string>

  constructor(private readonly home: Home) {
    const bin = join(home.directory, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'bookctl'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`, {
      mode: 0o755,
    })
    const PATH = `${bin}:${process.env.PATH}`
    this.env = {...(home.surroundings() as Record<string, string>), ...home.env, CI: '1', PATH}
  }

  /** Runs `line` with additional `variables`. Rejects if bash does not exit with 0. */
  async type(line: string, variables: Record<string, string> = {}): Promise<Finished> {
    const env = {...this.env, ...variables}
    const words = SYNTAX.test(line) ? undefined : line.match(/("[^"]*"|'[^']*'|[^\s"'])+/g)
    if (words?.[0] !== 'bookctl') return this.#inBash(line, env)
    const changed = Object.entries(env).filter(
      ([name, value]) => name !== 'PATH' && value !== process.env[name],
    )
    return this.home.run(
      words.slice(1).map(word => unquoted(word, env)),
      {env: Object.fromEntries(changed)},
    )
  }

  async #inBash(line: string, env: Record<string, string>): Promise<Finished> {
    const after = join(this.home.directory, 'env-after')
    const script = `set -eo pipefail; ${line}\nenv -0 > '${after}'`
    const options = {cwd: this.home.directory, env, maxBuffer: 1e7}
    const done = await promisify(execFile)('bash', ['-c', script], options)
    for (const [, name = '', value = ''] of readFileSync(after, 'utf8').matchAll(/(BOOKCTL_\w+)=([^\0]*)\0/g))
      this.env[name] = value
    return {exit: 0, ...done}
  }
}

/** Removes the quotes of a word and replaces its variables by their values. */
function unquoted(word: string, env: Record<string, string>): string {
  return word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2').replace(/\$(\w+)/g, (_, name) => String(env[name]))
}
