/** `listen --subscribe`: creates the subscription, stores its secret first, and waits for a test event before "ready". */
import {EVENT_TYPE_NAMES} from '../../../contract/events.js'
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {OutputFlags} from '../../terminal/output.js'
import type {Listening} from './listen.js'
import {type ListenPlan, within} from './listen-flags.js'
import {createAndKeep, createdResult, deleteAndForget, notStored} from './subscriptions.js'

/** Time for a test event through a tunnel. A shorter --within or --timeout bounds it too. */
const TEST_SECONDS = 30
/** `listen` ends soon, even if the service does not answer. */
const DELETION_MILLISECONDS = 2000

/** Throws Failure; the created subscription is then deleted if that path may be called, and named if not. */
export async function subscribe(
  command: BaseCommand,
  connection: Connection,
  {profile, next}: Listening,
  plan: ListenPlan,
  {json}: OutputFlags,
): Promise<void> {
  const wanted = {url: plan.publicUrl ?? '', events: [...(plan.types ?? EVENT_TYPE_NAMES)]}
  const created = await createAndKeep(connection, wanted, {flags: {profile}, again: false})
  const {subscription, problem, warnings} = created
  for (const warning of warnings) command.warn(`Warning: ${warning}`)
  const {id} = subscription
  /** Deletes the subscription and its secret; whether that is known to have happened. Throws nothing. */
  const isDeleted = () => {
    const deletion = deleteAndForget(connection, id, {profile}).then(
      () => true,
      () => false,
    )
    return within(DELETION_MILLISECONDS, deletion, () => false)
  }
  if (problem) {
    if (await isDeleted()) {
      const what = 'the secret of the subscription could not be stored, so the subscription was deleted again'
      throw usage('secret_not_stored', `${what}: ${problem.message}`, problem.hint)
    }
    // With --json it is printed with the failure.
    if (!json) await command.print(createdResult(subscription, {stored_in: null}), false, {})
    throw notStored(subscription, problem)
  }
  let isDecided = false
  const undo = async () => {
    if (isDecided) return
    isDecided = true
    const name = sanitizeLine(id, 100)
    const outcome = (await isDeleted())
      ? 'was deleted again.'
      : `stays active; to remove it: bookctl webhooks delete ${name}`
    command.warn(`The subscription ${name} that --subscribe created ${outcome}`)
  }
  // A signal may come before the test event.
  command.whenStopped(undo)
  const limits = [plan.wait?.seconds, command.timeoutSeconds].filter(limit => limit !== undefined)
  const seconds = Math.min(TEST_SECONDS, ...limits)
  try {
    const {sendTestEvent} = await import('../../../api/operations/webhooks.js')
    const came = next(id)
    const sentAndCame = sendTestEvent(connection.api, id).then(() => came)
    await within(seconds * 1000, sentAndCame, () => {
      const message = `the subscription ${id} was created, but its test event did not come within ${seconds} s`
      throw new Failure('pending', message, {
        code: 'test_event_missing',
        hint: 'check that --public-url leads to this receiver',
        result: {subscription_id: id},
      })
    })
    isDecided = true
  } finally {
    await undo()
  }
}
