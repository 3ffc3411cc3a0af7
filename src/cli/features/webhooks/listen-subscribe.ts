/** `webhooks listen --subscribe`: a subscription for as long as the listener runs, tested before it reports that it is ready. */
import {Failure, usage} from '../../../contract/failure.js'
import {sanitizeLine} from '../../../contract/foreign-text.js'
import type {Connection} from '../../session/connect.js'
import {profileName} from '../../session/resolve.js'
import type {BaseCommand} from '../../shell/base-command.js'
import type {OutputFlags} from '../../terminal/output.js'
import {type ListenFlags, type ListenPlan, wantedSubscription} from './listen-flags.js'
import type {ListenLog} from './listen-log.js'
import {within} from './listen-wait.js'
import type {WebhookSecretFlags} from './secrets.js'
import {createAndKeep, deleteAndForget, failNotStored, secondSubscription} from './subscriptions.js'

/** What a subscription needs of the listener. */
interface SubscribedListener {
  /** Reads the stored secrets again and resolves with the first event signed with the secret `secretName`. */
  testReceived(secretName: string): Promise<void>
  /** Stops reporting removed secrets. */
  stopWatchingSecrets(): void
}

/** Time limit for a test event, which may come through a tunnel; --within and --timeout can shorten it. */
const TEST_SECONDS = 30
/** Time limit of the deletion, so that `listen` ends soon even if the service does not answer. */
const DELETION_MILLISECONDS = 2000

/**
 * Creates the subscription and waits for a test event. At the end it deletes the subscription if that path may be called;
 * otherwise it reports that the subscription stays. Throws a Failure.
 */
export async function subscribe(
  command: BaseCommand,
  log: ListenLog,
  connection: Connection,
  listener: SubscribedListener,
  plan: ListenPlan,
  flags: ListenFlags & WebhookSecretFlags & OutputFlags,
): Promise<void> {
  const profile = profileName(flags, connection.state)
  const wanted = wantedSubscription(flags, plan)
  const second = await secondSubscription(connection, wanted.url, profile)
  if (second !== undefined) command.warn(second)
  const kept = await createAndKeep(connection, wanted, {profile})
  const {id, problem} = kept
  for (const warning of kept.warnings) command.warn(`Warning: ${warning}`)
  /** Deletes the subscription and its secret. Reports whether that certainly succeeded. */
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
    return failNotStored(command, kept, flags)
  }
  // Registered before the test event, so that it also runs if the event does not come.
  command.whenStopped(async () => {
    listener.stopWatchingSecrets()
    const named = `The subscription ${sanitizeLine(id, 100)} that --subscribe created`
    if (await isDeleted())
      log.write({level: 'info', event: 'stopping', message: `${named} was deleted again.`})
    else command.warn(`${named} stays active; to remove it: bookctl webhooks delete ${sanitizeLine(id, 100)}`)
  })
  const limits = [plan.wait?.seconds, command.timeoutSeconds].filter(limit => limit !== undefined)
  const seconds = Math.min(TEST_SECONDS, ...limits)
  const {sendTestEvent} = await import('../../../api/operations/webhooks.js')
  const received = listener.testReceived(id)
  const sentAndReceived = sendTestEvent(connection.api, id).then(() => received)
  await within(seconds * 1000, sentAndReceived, () => {
    const message = `the subscription ${id} was created, but its test event did not come within ${seconds} s`
    throw new Failure('pending', message, {
      code: 'test_event_missing',
      hint: 'check that --public-url leads to this receiver',
      result: {subscription_id: id},
    })
  })
}
