/** `listen --subscribe`: creates the subscription, stores its secret first, and waits for a test event before "ready". */
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import type {Result} from '../../terminal/result.js'
import type {Listening} from './listen.js'
import {type ListenPlan, within} from './listen-flags.js'
import {createAndKeep, createdResult, deleteAndForget, notStored} from './subscriptions.js'

/** Time for a test event through a tunnel. A shorter --within or --timeout bounds it too. */
const TEST_SECONDS = 30
/** `listen` ends soon, even if the service does not answer. */
const DELETION_MILLISECONDS = 2000

interface SubscribeTerms {
  /** `--timeout`, when it was given. */
  readonly timeoutSeconds: number | undefined
  readonly warn: (text: string) => void
  /** Prints the subscription whose secret could not be stored, unless it is printed with the failure. */
  readonly show: (created: Result) => Promise<void>
  /** Registers what undoes the subscription if a signal comes before its test event. */
  readonly whenStopped: (undo: () => unknown) => void
}

/** Throws Failure; the created subscription is then deleted if that path may be called, and named if not. */
export async function subscribe(
  connection: Connection,
  listening: Listening,
  plan: ListenPlan,
  terms: SubscribeTerms,
): Promise<void> {
  const {profile} = listening
  const wanted = {url: plan.publicUrl ?? '', events: [...(plan.types ?? EVENT_TYPE_NAMES)]}
  const created = await createAndKeep(connection, wanted, {flags: {profile}, again: false})
  const {subscription, problem, warnings} = created
  for (const warning of warnings) terms.warn(`Warning: ${warning}`)
  const {id} = subscription
  if (problem) {
    if (await isDeleted(connection, id, profile)) {
      const what = 'the secret of the subscription could not be stored, so the subscription was deleted again'
      throw usage('secret_not_stored', `${what}: ${problem.message}`, problem.hint)
    }
    await terms.show(createdResult(subscription, {stored_in: null}))
    throw notStored(subscription, problem)
  }
  let isDecided = false
  const undo = async () => {
    if (isDecided) return
    isDecided = true
    const name = sanitizeLine(id, 100)
    const outcome = (await isDeleted(connection, id, profile))
      ? 'was deleted again.'
      : `stays active; to remove it: bookctl webhooks delete ${name}`
    terms.warn(`The subscription ${name} that --subscribe created ${outcome}`)
  }
  terms.whenStopped(undo)
  const limits = [plan.wait?.seconds, terms.timeoutSeconds].filter(limit => limit !== undefined)
  const seconds = Math.min(TEST_SECONDS, ...limits)
  try {
    await testOnce(connection, listening, id, seconds)
    isDecided = true
  } finally {
    await undo()
  }
}

/** Requests a test event and waits for it. Throws Failure. */
async function testOnce(
  connection: Connection,
  listening: Listening,
  id: string,
  seconds: number,
): Promise<void> {
  const {sendTestEvent} = await import('../../../api/operations/webhooks.js')
  const came = listening.next(id)
  const sentAndCame = sendTestEvent(connection.api, id).then(() => came)
  await within<unknown>(seconds * 1000, sentAndCame, () => {
    const message = `the subscription ${id} was created, but its test event did not come within ${seconds} s`
    throw new Failure('pending', message, {
      code: 'test_event_missing',
      hint: 'check that --public-url leads to this receiver',
      result: {subscription_id: id},
    })
  })
}

/** Deletes the subscription and its secret; whether that is known to have happened. Throws nothing. */
function isDeleted(connection: Connection, id: string, profile: string): Promise<boolean> {
  const deletion = deleteAndForget(connection, id, {profile}).then(
    () => true,
    () => false,
  )
  return within(DELETION_MILLISECONDS, deletion, () => false)
}
