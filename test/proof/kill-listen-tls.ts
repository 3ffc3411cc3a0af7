/** `webhooks listen --tls` is killed while it makes its authority: the next one has a whole one, and its key is ours alone. */
import {existsSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {LISTEN_CA_KEY_NAME, LISTEN_CA_NAME} from '../../src/state/file-names.js'
import {isUsableAuthority} from '../../src/webhooks/receive/certificate.js'
import {Home} from '../support/bookctl.js'
import {SECRET} from '../support/webhook-load.js'
import {CRASH_POINTS} from './crash-points.js'
import {checkDatabases, checkNoTemporaryFiles} from './kill-checks.js'
import type {Scene, Subject} from './kill-scene.js'
import {serve, serveToDeath} from './kill-server.js'

const ARGV = ['webhooks', 'listen', '--tls']

async function openScene(): Promise<Scene> {
  const home = new Home({BOOKCTL_WEBHOOK_SECRET: SECRET})
  const paths = [LISTEN_CA_NAME, LISTEN_CA_KEY_NAME].map(name => join(home.configDirectory, name))
  const texts = () => paths.map(path => (existsSync(path) ? readFileSync(path, 'utf8') : undefined))
  const checkWhole = () => [
    ...texts()
      .filter(text => text !== undefined && !/^-----BEGIN [\s\S]*-----END [A-Z ]+-----\s*$/.test(text))
      .map(text => `a file of the authority is cut: ${text?.length} bytes`),
    ...paths
      .filter(path => existsSync(path) && (statSync(path).mode & 0o777) !== 0o600)
      .map(path => `${path} can be read by others`),
  ]
  return {
    die: death => serveToDeath(serve(home, ARGV, death), death, async () => {}),
    afterDeath: () => [...checkDatabases(home), ...checkWhole()],
    async again() {
      const {child, ended, ready} = serve(home, ARGV)
      if ((await ready) === undefined) return [`again it does not start: ${(await ended).stderr}`]
      child.kill('SIGTERM')
      await ended
      const [cert = '', key = ''] = texts()
      const isUsable = isUsableAuthority({cert, key}, Date.now() / 1000)
      return [
        ...(isUsable ? [] : ['again there is no authority that can be used']),
        ...[...checkWhole(), ...checkNoTemporaryFiles(home)],
      ]
    },
    close: async () => home.remove(),
  }
}

export const LISTEN_TLS: Subject = {
  ...{name: 'webhooks listen --tls', points: CRASH_POINTS['webhooks listen --tls'], randomKills: 20},
  ...{hasThreads: true, open: openScene},
}
