/** A directory of its own for each test of a file, and a state in one; both are gone after the test. */
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {beforeEach} from 'vitest'
import type {Keychain} from '../../src/state/secret-store.js'
import {openState, type State} from '../../src/state/state.js'

export function directoryForEachTest(): {path: string} {
  const directory = {path: ''}
  beforeEach(() => {
    directory.path = mkdtempSync(join(tmpdir(), 'bookctl-test-'))
    return () => rmSync(directory.path, {recursive: true, force: true})
  })
  return directory
}

export function stateForEachTest(keychain?: Keychain): {path: string; state: State} {
  const place = directoryForEachTest() as {path: string; state: State}
  beforeEach(() => {
    place.state = openState(place.path, keychain)
    return () => place.state.close()
  })
  return place
}
