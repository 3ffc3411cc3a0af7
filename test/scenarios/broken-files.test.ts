/** Files of ours that are broken, or not ours at all: refused with their name and a next step, and never touched. */
import {mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync} from 'node:fs'
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

// What else is refused, and where it says so, is in test/state/settings.test.ts; with every command, in test/proof/files.
describe('config.json', () => {
  test('is refused with its path, the line and a next step, by every command but those that do not need it', async () => {
    const path = join(home.configDirectory, 'config.json')
    const content = '{\n  "profiles": {"a\\u001b[2Jb": {}}\n}'
    writeFileSync(path, content)
    for (const argv of [['config', 'list'], ['config', 'set', 'currency', 'EUR'], ['account']]) {
      const {exit, code, message, hint, stderr} = await home.refusal(argv)
      expect({argv, exit, code}).toEqual({argv, exit: 2, code: 'settings_invalid'})
      expect(message).toContain(`${path}, line 2: profiles.a`)
      expect(hint).toContain('was not changed')
      expect(message + stderr).not.toMatch(/expected|received|zod/i)
      expect(message).not.toContain('\u001b')
    }
    expect(readFileSync(path, 'utf8')).toBe(content)
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
