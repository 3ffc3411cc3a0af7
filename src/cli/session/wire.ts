/**
 * What every request needs, in one place to be imported when there is one to send: each file asked for by itself would
 * be waited for by itself.
 */

export {createTokenSource} from '../../api/auth/tokens.js'
export {createSender} from '../../api/http/send.js'
export {createTransport} from '../../api/http/transport.js'
export {createApi} from '../../api/operations/client.js'
export {createTrace} from '../../api/trace/trace.js'
export {keepExchanges} from '../../state/exchanges.js'
export {
  createProgress,
  progressStyle,
  watchedClock,
  watchedSender,
  watchedTrace,
} from '../terminal/progress.js'
export {guardOwnPaths, readNamedPaths} from './own-paths.js'
export {trustedCertificates} from './trust.js'
