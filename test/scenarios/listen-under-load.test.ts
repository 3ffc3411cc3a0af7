/** `listen` with addresses that hang or are down. */
import {expect, test} from 'vitest'
import {ownListening, ownReceiverHome, ownTarget} from '../support/own.js'
import {load, signedEvent} from '../support/webhook-load.js'

test('an address that hangs does not delay one answer', async () => {
  const home = ownReceiverHome()
  const hanging = await ownTarget('hang')
  const down = await ownTarget(200)
  await down.close()
  const receiver = await ownListening(home, ['--forward-to', hanging.url, '--forward-to', down.url])
  let n = 0
  const {answers} = await load({
    port: receiver.port,
    connections: 20,
    next: () => (n < 500 ? signedEvent(`evt_${n++}`, {pad: 50}) : undefined),
    perSecond: 300,
  })
  expect(answers.filter(({status}) => status === 200).length).toBe(500)
  expect(hanging.got.length).toBeLessThanOrEqual(8)
  // An answer, or an end, that waited for the address would take 30 s: longer than this test may.
  expect((await receiver.stop()).exit).toBe(143)
}, 28_000)
