/** Scripted services and homes for scenarios, gone after the tests of a file, and what a home keeps. */
import {afterAll, beforeEach} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {ScriptedService} from '../support/scripted-service.js'

/** For the top of a test file: a service without a script before each test, and a home that is pointed at it. */
export async function scriptedHome(): Promise<{service: ScriptedService; home: Home}> {
  const service = await ScriptedService.start()
  const home = new Home(service.env)
  beforeEach(() => {
    service.forget()
    service.script = () => false
  })
  afterAll(() => {
    home.remove()
    service.close()
  })
  return {service, home}
}

/** The signing secrets stored in `home` for the profile `default`. */
export function storedSecrets({configDirectory}: Home): {id: string; secret: string}[] {
  const state = openState(configDirectory)
  try {
    const stored = state.secrets.listSigningSecrets('default')
    return stored.map(({subscription_id, secret}) => ({id: subscription_id, secret}))
  } finally {
    state.close()
  }
}
