/** What a person at a terminal is asked. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {type LocalSandbox, startLocalSandbox} from '../support/local-sandbox.js'
import {GUESTS, SEARCH} from '../support/stay.js'
import {atTerminal, HAS_TERMINAL} from '../support/terminal.js'

let sandbox: LocalSandbox
let home: Home

beforeAll(async () => {
  sandbox = await startLocalSandbox()
  home = new Home(sandbox.env)
})
afterAll(async () => {
  home.remove()
  await sandbox.stop()
})

describe.skipIf(!HAS_TERMINAL)('at a terminal', () => {
  test('login says at once what is wrong with an answer, and offers no way to show the secret', async () => {
    const person = new Home()
    const {exit, screen} = await atTerminal(
      person,
      ['login'],
      [
        ['Base URL', 'https://service.test/v2\r'],
        ['must end in /v1', `\u0015${sandbox.baseUrl}\r`],
        ['Client id', 'somebody\r'],
        ['must start with cid_', '\u0015cid_sandbox\r'],
        ['Client secret', 'sk_test_sandbox\u0014\r'],
      ],
    )
    person.remove()
    expect(exit).toBe(0)
    expect(screen).not.toContain('toggle')
    expect(screen).not.toContain('sk_test')
  })

  test('reserve asks once, and not again for what is made', async () => {
    const offer = (await home.run([...SEARCH, '--quiet'])).stdout.split('\n')[0] ?? ''
    const argv = ['reserve', offer, '--pay', 'account', ...GUESTS]
    const first = await atTerminal(home, argv, [['Reserve this?', 'y\r']])
    expect(first).toMatchObject({exit: 0})
    const again = await atTerminal(home, argv)
    expect(again).toMatchObject({exit: 0})
    expect(again.screen).not.toContain('Reserve this?')
    const reference = /client_reference_id:\s+(\S+)/
    expect(reference.exec(again.screen)?.[1]).toBe(reference.exec(first.screen)?.[1])
  })
})
