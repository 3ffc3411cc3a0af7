/**
 * What every request needs, in one place to be imported when there is one to send: each file asked for by itself would
 * be waited for by itself.
 */
export {createApi} from '../api/client.js'
export {createSender} from '../api/send.js'
export {createTokenSource} from '../api/tokens.js'
export {createTrace} from '../api/trace.js'
export {createTransport} from '../api/transport.js'
export {keepExchanges} from '../state/exchanges.js'
export {createProgress, progressStyle, watchedClock, watchedSender, watchedTrace} from './output/progress.js'
export {guardOwnPaths, readNamedPaths} from './request/own-paths.js'
export {trustedCertificates} from './trust.js'
