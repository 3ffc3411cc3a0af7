/** The booking wizard with its real parts, and a scripted user. All of it is closed when the test ends. */
import type {ReserveFlags} from '../../../../src/cli/features/reserve/flags.js'
import type {Booked} from '../../../../src/cli/features/reserve/pipeline.js'
import {planReservation, reservePlan} from '../../../../src/cli/features/reserve/plan.js'
import {readTyped} from '../../../../src/cli/features/reserve/request.js'
import {ReserveStop} from '../../../../src/cli/features/reserve/stop.js'
import {readDraft} from '../../../../src/cli/features/wizard/draft.js'
import {runWizard} from '../../../../src/cli/features/wizard/wizard.js'
import {type Connection, connect} from '../../../../src/cli/session/connect.js'
import {openState} from '../../../../src/state/state.js'
import {closing, ownDirectory} from '../../../support/own.js'
import {type Line, type ScriptedPrompts, scriptedPrompts} from './scripted-prompts.js'

export interface Desk {
  readonly connection: Connection
  /** Runs the wizard. `prompts.log` has the questions, and `messages` the lines printed between them. */
  run(script: readonly Line[], flags?: ReserveFlags & {offer?: string}): Promise<Booked>
  readonly messages: string[]
  prompts: ScriptedPrompts
}

/** A guest as parsed from flags. */
export const LEAD = {
  name: 'Ayşe',
  surname: 'Öğüt',
  birth_date: '1990-02-03',
  gender: 'FEMALE',
  identity: {type: 'TC', number: '10000000146'},
}

/** Opens the wizard for the service and the credentials in `env`. */
export async function openDesk(env: Record<string, string>): Promise<Desk> {
  const state = closing(openState(ownDirectory()))
  const target = {
    profile: null,
    source: 'env' as const,
    baseUrl: env.BOOKCTL_BASE_URL ?? '',
    isLoopback: true,
    clientId: env.BOOKCTL_CLIENT_ID ?? '',
    clientSecret: env.BOOKCTL_CLIENT_SECRET ?? '',
    mode: 'test' as const,
    scopes: undefined,
  }
  const connection = closing(
    await connect(target, state, {
      timeoutSeconds: 5,
      caFile: undefined,
      har: undefined,
      warn: () => {},
      show: undefined,
      version: '0',
      env: {},
      quiet: false,
    }),
  )
  const messages: string[] = []
  const warn = (text: string) => void messages.push(text)
  const today = new Date().toISOString().slice(0, 10)
  const desk: Desk = {
    connection,
    messages,
    prompts: scriptedPrompts([]),
    async run(script, {offer, ...flags} = {}) {
      desk.prompts = scriptedPrompts(script)
      const draft = readDraft(await readTyped(offer, flags))
      return runWizard(
        {
          connection,
          prompts: desk.prompts,
          tell: warn,
          today,
          flags,
          pipeline: {
            stop: new ReserveStop(),
            async book(typed, agree) {
              const plan = await planReservation(typed, flags, target, state)
              return (await agree(plan))
                ? {plan, booking: await reservePlan(connection, plan, {warn})}
                : undefined
            },
          },
        },
        draft,
      )
    },
  }
  return desk
}
