/**
 * `listen --subscribe`: creates the subscription, keeps its secret before anything else, and lets a test event come
 * through before "ready" is said.
 */
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {StorageError} from '../../../storage/errors.js'
import type {Connection} from '../../session/connect.js'
import type {Result} from '../../terminal/result.js'
import type {ListenPlan} from './listen-flags.js'
import type {OpenListening} from './listen-open.js'
import {createAndKeep, createdResult, deleteAndForget, notStored} from './subscriptions.js'

/** Ours: a test event takes a tunnel and two answers. A shorter --within or --timeout bounds it too. */
const TEST_SECONDS = 30
/** Ours: the end of `listen` is short, also when the service does not answer. */
const TAKING_BACK_MILLISECONDS = 2000

export interface SubscribeTerms {
  /** `--timeout`, when it was given. */
  readonly timeoutSeconds: number | undefined
  /** Says what must be known. */
  readonly warn: (text: string) => void
  /** Shows the subscription whose secret could not be stored; where the failure itself is shown with it, does nothing. */
  readonly show: (created: Result) => Promise<void>
  /** Told what undoes the subscription, should a signal come before its test event. */
  readonly whenStopped: (undo: () => unknown) => void
}

/** Throws Failure; the subscription it created is then deleted, where that path may be called, or named. */
export async function subscribe(
  connection: Connection,
  open: OpenListening,
  plan: ListenPlan,
  terms: SubscribeTerms,
): Promise<void> {
  const {profile, secrets} = open
  const wanted = {url: plan.publicUrl ?? '', events: [...(plan.types ?? EVENT_TYPE_NAMES)]}
  const created = await createAndKeep(connection, wanted, {flags: {profile}, again: false})
  const {subscription, problem, warnings} = created
  for (const warning of warnings) terms.warn(`Warning: ${warning}`)
  const {id} = subscription
  if (problem) {
    if (await isTakenBack(connection, id, profile)) throw deletedAgain(problem)
    await terms.show(createdResult(subscription, {stored_in: null}))
    throw notStored(subscription, problem)
  }
  let isDecided = false
  const undo = async () => {
    if (isDecided) return
    isDecided = true
    terms.warn(await takeBack(connection, id, profile))
  }
  terms.whenStopped(undo)
  secrets.refresh()
  const seconds = Math.min(
    TEST_SECONDS,
    plan.wait?.seconds ?? TEST_SECONDS,
    terms.timeoutSeconds ?? TEST_SECONDS,
  )
  try {
    await testOnce(connection, open, id, seconds)
    isDecided = true
  } finally {
    await undo()
  }
}

/** Has a test event sent, and waits for it. Throws Failure. */
async function testOnce(
  connection: Connection,
  {listening}: OpenListening,
  id: string,
  seconds: number,
): Promise<void> {
  const {sendTestEvent} = await import('../../../api/operations/webhooks.js')
  const came = listening.next(({reason, secretName}) => reason === 'ok' && secretName === id)
  let timer: NodeJS.Timeout | undefined
  const ranOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(testMissing(id, seconds)), seconds * 1000)
  })
  const sentAndCame = sendTestEvent(connection.api, id).then(() => came)
  await Promise.race([sentAndCame, ranOut]).finally(() => clearTimeout(timer))
}

/** What is left is nothing, so it is no outcome that anybody has to find out. */
function deletedAgain({message, hint}: StorageError): Failure {
  const what = 'the secret of the subscription could not be stored, so the subscription was deleted again'
  return usage('secret_not_stored', `${what}: ${message}`, hint)
}

/** Deletes the subscription and its secret; returns what became of it, in words. Throws nothing. */
async function takeBack(connection: Connection, id: string, profile: string): Promise<string> {
  const name = sanitizeLine(id, 100)
  if (await isTakenBack(connection, id, profile))
    return `The subscription ${name} that --subscribe created was deleted again.`
  return `The subscription ${name} that --subscribe created stays active; to remove it: bookctl webhooks delete ${name}`
}

/** Deletes the subscription and its secret; whether that is known to be done. Throws nothing. */
async function isTakenBack(connection: Connection, id: string, profile: string): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<false>(resolve => {
    timer = setTimeout(() => resolve(false), TAKING_BACK_MILLISECONDS)
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
    hint: 'see that --public-url leads here',
    result: {subscription_id: id},
  })
}
