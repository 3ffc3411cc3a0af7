/** `listen --subscribe`: creates the subscription, stores its secret first, and waits for a test event before "ready". */
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {StorageError} from '../../../storage/errors.js'
import type {Connection} from '../../session/connect.js'
import type {Result} from '../../terminal/result.js'
import type {Listening} from './listen.js'
import type {ListenPlan} from './listen-flags.js'
import {createAndKeep, createdResult, deleteAndForget, notStored} from './subscriptions.js'

/** Ours: time for a test event through a tunnel. A shorter --within or --timeout bounds it too. */
const TEST_SECONDS = 30
/** Ours: `listen` ends soon, even if the service does not answer. */
const DELETION_MILLISECONDS = 2000

export interface SubscribeTerms {
  /** `--timeout`, when it was given. */
  readonly timeoutSeconds: number | undefined
  readonly warn: (text: string) => void
  /** Prints the subscription whose secret could not be stored, unless it is printed with the failure. */
  readonly show: (created: Result) => Promise<void>
  /** Takes what undoes the subscription if a signal comes before its test event. */
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
    if (await isDeleted(connection, id, profile)) throw deletedAgain(problem)
    await terms.show(createdResult(subscription, {stored_in: null}))
    throw notStored(subscription, problem)
  }
  let isDecided = false
  const undo = async () => {
    if (isDecided) return
    isDecided = true
    terms.warn(await deleteAgain(connection, id, profile))
  }
  terms.whenStopped(undo)
  const seconds = Math.min(
    TEST_SECONDS,
    plan.wait?.seconds ?? TEST_SECONDS,
    terms.timeoutSeconds ?? TEST_SECONDS,
  )
  try {
    await testOnce(connection, listening, id, seconds)
    isDecided = true
  } finally {
    await undo()
  }
}

/** Has a test event sent, and waits for it. Throws Failure. */
async function testOnce(
  connection: Connection,
  listening: Listening,
  id: string,
  seconds: number,
): Promise<void> {
  const {sendTestEvent} = await import('../../../api/operations/webhooks.js')
  const came = listening.next(id)
  let timer: NodeJS.Timeout | undefined
  const ranOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(testMissing(id, seconds)), seconds * 1000)
  })
  const sentAndCame = sendTestEvent(connection.api, id).then(() => came)
  await Promise.race([sentAndCame, ranOut]).finally(() => clearTimeout(timer))
}

/** Nothing is left behind, so the outcome is known. */
function deletedAgain({message, hint}: StorageError): Failure {
  const what = 'the secret of the subscription could not be stored, so the subscription was deleted again'
  return usage('secret_not_stored', `${what}: ${message}`, hint)
}

/** Deletes the subscription and its secret; returns the outcome in words. Throws nothing. */
async function deleteAgain(connection: Connection, id: string, profile: string): Promise<string> {
  const name = sanitizeLine(id, 100)
  if (await isDeleted(connection, id, profile))
    return `The subscription ${name} that --subscribe created was deleted again.`
  return `The subscription ${name} that --subscribe created stays active; to remove it: bookctl webhooks delete ${name}`
}

/** Deletes the subscription and its secret; whether that is known to have happened. Throws nothing. */
async function isDeleted(connection: Connection, id: string, profile: string): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), DELETION_MILLISECONDS)
  })
  const deletion = deleteAndForget(connection, id, {profile}).then(
    () => true,
    () => false,
  )
  return Promise.race([deletion, tooLate]).finally(() => clearTimeout(timer))
}

function testMissing(id: string, seconds: number): Failure {
  const message = `the subscription ${id} was created, but its test event did not come within ${seconds} s`
  return new Failure('pending', message, {
    code: 'test_event_missing',
    hint: 'check that --public-url leads to this receiver',
    result: {subscription_id: id},
  })
}
