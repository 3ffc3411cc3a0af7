/** Files of ours that are broken, or not ours at all: refused with their name and a next step, and never touched. */
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {join} from 'node:path'
import {beforeEach, describe, expect, test} from 'vitest'
import type {Home} from '../support/bookctl.js'
import {ownHome} from '../support/own.js'

const ENV = {
  BOOKCTL_BASE_URL: 'http://127.0.0.1:1/v1',
  BOOKCTL_CLIENT_ID: 'cid_x',
  BOOKCTL_CLIENT_SECRET: 'sk_test_x',
  BOOKCTL_WEBHOOK_SECRET: 'whsec_x',
}
let home: Home
beforeEach(() => {
  home = ownHome(ENV)
  mkdirSync(home.configDirectory, {mode: 0o700})
})

/** What lies at `path`, without following anything. */
function lookAt(path: string): string {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return stats.isFile() ? readFileSync(path).toString('base64') : 'other'
}

/** What else is refused, and where it says so, is in test/state/settings.test.ts. */
const SETTINGS = [
  ['a comma too many', '{\n  "profiles": {},\n}', 'at line 3, column 1'],
  ['a key that nothing reads', '{\n  "profiles": {},\n  "themes": 2\n}', 'line 3: themes is unknown'],
  [
    'one in a contact',
    '{"defaults": {"contact": {"nmae": "A"}}}',
    'defaults.contact.nmae is unknown; known here: name, surname',
  ],
  ['text for a number', '{"defaults": {"timeout": "soon"}}', 'defaults.timeout must be a number'],
  ['a profile name that is none', '{"profiles": {"a\\u001b[2Jb": {}}}', 'profiles.a'],
] as const

describe('config.json', () => {
  test.each(SETTINGS)('%s', async (_, content, words) => {
    const path = join(home.configDirectory, 'config.json')
    writeFileSync(path, content)
    const before = lookAt(path)
    for (const argv of [['config', 'list'], ['config', 'set', 'currency', 'EUR'], ['account']]) {
      const {exit, code, message, hint, stderr} = await home.refusal(argv)
      expect({argv, exit, code}).toEqual({argv, exit: 2, code: 'settings_invalid'})
      expect(message).toContain(path)
      expect(message).toContain(words)
      expect(hint).toContain('was not changed')
      expect(message + stderr).not.toMatch(/expected|received|zod/i)
      expect(message).not.toContain('\u001b')
    }
    expect(lookAt(path)).toBe(before)
    for (const argv of [['--help'], ['--version'], ['config', 'path'], ['config', 'set', '--help']])
      expect(await home.run(argv)).toMatchObject({exit: 0, stderr: ''})
  })

  test('the directory itself may be a link', async () => {
    const elsewhere = join(home.directory, 'dotfiles')
    mkdirSync(elsewhere, {mode: 0o700})
    rmdirSync(home.configDirectory)
    symlinkSync(elsewhere, home.configDirectory)
    expect(await home.run(['config', 'set', 'currency', 'EUR'])).toMatchObject({exit: 0})
    expect(readFileSync(join(elsewhere, 'config.json'), 'utf8')).toContain('EUR')
  })
})
