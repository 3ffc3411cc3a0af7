/** Scripted services and homes for scenarios, which are closed after the tests of a file, and the secrets stored in a home. */
import {afterAll, beforeEach} from 'vitest'
import {openState} from '../../src/state/state.js'
import {Home} from '../support/bookctl.js'
import {ScriptedService} from '../support/scripted-service.js'

/**
 * Prepares a file of tests; call it at the top level. Each test starts with a service without a script, and with a home that uses
 * it.
 */
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

/** Returns the signing secrets stored in `home` for the profile `default`. */
export function storedSecrets({configDirectory}: Home): {id: string; secret: string}[] {
  const state = openState(configDirectory)
  try {
    const stored = state.secrets.listSigningSecrets('default')
    return stored.map(({subscription_id, secret}) => ({id: subscription_id, secret}))
  } finally {
    state.close()
  }
}
