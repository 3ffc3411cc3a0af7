/** Completion at real shells: a home with the scripts, a state to ask about, and a `bookctl` that notes its arguments. */
import {spawnSync} from 'node:child_process'
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {openState} from '../../src/state/state.js'
import {ENTRY, Home} from '../support/bookctl.js'
import {atTerminal, type TerminalRun} from '../support/terminal.js'

/** An id whose text would do something in any shell that looks at it. */
export const HOSTILE = `whsub_evil'"$(touch p1)\`touch p2\`;touch p3 \\ * & | > p4`

export class CompletionHome extends Home {
  readonly bin = join(this.directory, 'bin')
  private readonly noted = join(this.directory, 'noted')

  /** The script of `shell`, as a user would have it. */
  scriptPath(shell: string): string {
    return join(this.directory, shell === 'zsh' ? 'zfunc/_bookctl' : `completion.${shell}`)
  }

  async prepare(): Promise<void> {
    mkdirSync(this.bin)
    mkdirSync(join(this.directory, 'zfunc'))
    const bookctl = `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${ENTRY}' "$@"; fi
printf '%s\\0' "$@" > '${this.noted}.new' && mv '${this.noted}.new' '${this.noted}'
echo "no""ted"
`
    writeFileSync(join(this.bin, 'bookctl'), bookctl)
    chmodSync(join(this.bin, 'bookctl'), 0o755)
    for (const shell of ['bash', 'zsh', 'fish', 'powershell'])
      writeFileSync(this.scriptPath(shell), (await this.run(['autocomplete', shell])).stdout)
  }

  /** What the machine remembers. */
  async remember(): Promise<void> {
    const state = openState(this.configDirectory)
    state.cities.remember({baseUrl: 'https://a.example/v1'}, [
      {id: 101, name: 'İstanbul', country_code: 'TR'},
      {id: 205, name: 'Isparta', country_code: 'TR'},
      {id: 301, name: 'Rome', country_code: 'IT'},
    ])
    for (const id of ['whsub_plain', 'whsub_with space', HOSTILE, 'whsub_two\nlines', 'whsub_\u001b[2J'])
      state.secrets.putSigningSecret({subscription_id: id, profile: 'work', secret: 'whsec_x', stored_at: 1})
    const profile = {base_url: 'https://a.example/v1', client_id: 'cid_1'}
    await state.settings.update(file => file.set(['profiles'], {work: profile, home: profile}))
    state.close()
  }

  /** The arguments of the last `bookctl` that was run. */
  ranWith(): string[] | undefined {
    return existsSync(this.noted) ? readFileSync(this.noted, 'utf8').split('\0').slice(0, -1) : undefined
  }

  /** An interactive shell with the completion in place. */
  async shell(name: 'bash' | 'zsh' | 'fish'): Promise<TerminalRun> {
    const command = {
      bash: ['bash', '--norc', '--noprofile', '-i'],
      zsh: ['zsh', '-f', '-i'],
      fish: ['fish', '--no-config', '-i'],
    }[name]
    const PATH = `${this.bin}:${process.env.PATH}`
    const env = {PATH, PS1: 'ready> ', INPUTRC: '/dev/null', XDG_DATA_HOME: this.directory, LC_ALL: 'C.UTF-8'}
    const run = atTerminal(this, [], {command, env, columns: 200, rows: 50})
    const setUp = {
      bash: `source ${this.scriptPath('bash')}; bind 'set enable-bracketed-paste off'`,
      zsh: `fpath=(${this.directory}/zfunc $fpath); autoload -Uz compinit; compinit -D -u`,
      fish: `source ${this.scriptPath('fish')}`,
    }[name]
    run.type(`${setUp}; echo set"up"\r`)
    await run.waitFor('setup')
    return run
  }
}

export function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}
