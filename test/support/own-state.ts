/** Opens a new state for each test of a file, in a directory at `path`. */
import {beforeEach} from 'vitest'
import type {Keychain} from '../../src/state/secret-store.js'
import {openState, type State} from '../../src/state/state.js'
import {closing, ownDirectory} from './own.js'

export function stateForEachTest(keychain?: Keychain): {path: string; state: State} {
  const place = {} as {path: string; state: State}
  beforeEach(() => {
    place.path = ownDirectory()
    place.state = closing(openState(place.path, keychain && {keychain}))
  })
  return place
}
