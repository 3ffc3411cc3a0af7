/** What a person sees while the service is slow. */
import {setTimeout as sleep} from 'node:timers/promises'
import {afterAll, test} from 'vitest'
import {Home} from '../support/bookctl.js'
import {ScriptedService} from '../support/scripted-service.js'
import {atTerminal} from '../support/terminal.js'

const slow = await ScriptedService.start()
slow.script = async ({path}) => {
  if (path === '/account') await sleep(1800)
  return false
}
const busy = await ScriptedService.start()
busy.script = ({path}, response) => {
  if (path !== '/account' || busy.seen('/account').length > 1) return false
  return response.writeHead(503, {'retry-after': '2'}).end()
}
const home = new Home(slow.env)
afterAll(() => {
  home.remove()
  slow.close()
  busy.close()
})

test.concurrent('a slow answer shows a line with the seconds, which is removed before the result', async ({
  expect,
}) => {
  const terminal = atTerminal(home, ['account'])
  await terminal.waitFor(/\S waiting for 127\.0\.0\.1:\d+… 1 s/)
  expect(await terminal.exit).toBe(0)
  expect(terminal.screen()).toBe('balance: 1.00')
  expect(terminal.screen()).not.toContain('waiting')
  expect(terminal.raw()).not.toContain('\u001b[?25l')
})

test.concurrent('a repeated request says why and when', async ({expect}) => {
  const terminal = atTerminal(home, ['account'], {env: busy.env})
  await terminal.waitFor('the service answered 503, trying again in 2 s… ')
  expect(await terminal.exit).toBe(0)
})

test.concurrent.for([{BOOKCTL_ACCESSIBLE: '1'}, {TERM: 'dumb'}])(
  'with %j it is one plain line',
  async (env, {expect}) => {
    const terminal = atTerminal(home, ['account'], {env})
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen().match(/waiting for/g)).toHaveLength(1)
    expect(terminal.raw()).not.toContain('\u001b')
  },
)

test.concurrent.for([
  [{}, ['account', '--quiet']],
  [{CI: '1'}, ['account']],
] as const)('with %j, %j shows none', async ([env, argv], {expect}) => {
  const terminal = atTerminal(home, argv, {env})
  expect(await terminal.exit).toBe(0)
  expect(terminal.raw()).not.toContain('waiting')
})

test.concurrent('Ctrl-C leaves nothing of it behind', async ({expect}) => {
  const terminal = atTerminal(home, ['account'])
  await terminal.waitFor(/… \d s/)
  terminal.press('ctrl-c')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen().replace('^C', '')).toBe('')
})

test.concurrent('a pipe gets no progress line', async ({expect}) => {
  expect(await home.run(['account'])).toMatchObject({exit: 0, stderr: ''})
})
