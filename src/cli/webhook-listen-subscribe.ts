/**
 * `listen --subscribe`: creates the subscription, keeps its secret before anything else, and lets a test event come
 * through before "ready" is said.
 */
import {EVENT_TYPE_NAMES} from '../contract/events.js'
import {Failure} from '../contract/failure.js'
import type {Connection} from './connect.js'
import type {ListenPlan} from './webhook-listen-flags.js'
import type {OpenListening} from './webhook-listen-open.js'
import {createAndKeep} from './webhook-subscriptions.js'

/** Ours: a test event takes a tunnel and two answers. A shorter --within bounds it too. */
const TEST_SECONDS = 30

/** Throws Failure; a subscription that was created stays, and is named. */
export async function subscribe(
  connection: Connection,
  {listening, profile, secrets}: OpenListening,
  plan: ListenPlan,
): Promise<void> {
  const {sendTestEvent} = await import('../api/webhooks.js')
  const wanted = {url: plan.publicUrl ?? '', events: [...(plan.types ?? EVENT_TYPE_NAMES)]}
  const {subscription} = await createAndKeep(connection, wanted, {flags: {profile}, again: false})
  const {id} = subscription
  secrets.refresh()
  const came = listening.next(({reason, secretName}) => reason === 'ok' && secretName === id)
  await sendTestEvent(connection.api, id)
  const seconds = Math.min(TEST_SECONDS, plan.wait?.seconds ?? TEST_SECONDS)
  let timer: NodeJS.Timeout | undefined
  const ranOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(testMissing(id, seconds)), seconds * 1000)
  })
  await Promise.race([came, ranOut]).finally(() => clearTimeout(timer))
}

function testMissing(id: string, seconds: number): Failure {
  const message = `the subscription ${id} was created, but its test event did not come within ${seconds} s`
  return new Failure('pending', message, {
    code: 'test_event_missing',
    hint: `see that --public-url leads here, then: bookctl webhooks test ${id}; or remove it: bookctl webhooks delete ${id}`,
    result: {subscription_id: id},
  })
}
