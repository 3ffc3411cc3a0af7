/** A reset from the sandbox's own page, while the clock is being moved. */
import {expect, test} from 'vitest'
import {startSubscriber} from '../support/subscriber.js'
import {sandboxForEachTest} from './each-sandbox.js'
import {readPage, sendForm} from './site.js'

const {sandbox, client} = sandboxForEachTest({allowHttpLoopback: true})

test('a reset ends a move of the clock that is under way, and leaves no moved time behind', async () => {
  const held: (() => void)[] = []
  const subscriber = await startSubscriber(answer => {
    held.push(() => answer.end())
  })
  try {
    const wanted = {url: `${subscriber.origin}/slow`, events: ['reservation.confirmed']}
    await client.call('POST', '/webhooks/subscriptions', wanted)
    await client.book()
    const moved = sendForm(sandbox, '/ui/clock', {advance_seconds: '28800'})
    const alsoMoved = sendForm(sandbox, '/ui/clock', {advance_seconds: '60'})
    await subscriber.waitFor(1)
    expect((await sendForm(sandbox, '/ui/reset')).status).toBe(303)
    for (const release of held) release()
    expect([(await moved).status, (await alsoMoved).status]).toEqual([303, 303])
    const page = (await readPage(sandbox, '/')).text
    expect(page).toContain('2030-06-01 12:00:00 UTC')
    expect(page).toContain('No deliveries yet.')
  } finally {
    await subscriber.close()
  }
})
