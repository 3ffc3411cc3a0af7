/** Which requests are wanted, and following them. */
import {expect, test} from 'vitest'
import {
  checkStatus,
  followRequests,
  isWanted,
  type LoggedRequest,
  type RequestFilter,
} from '../../../../src/cli/features/sandbox/requests.js'
import {Failure} from '../../../../src/contract/failure.js'

const request = (more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  at: '2030-01-01T00:00:00.000Z',
  request_id: 'req_1',
  client_id: 'cid_sandbox_poor',
  operation: 'account.show',
  method: 'GET',
  path: '/partner-api/v1/account',
  status: 404,
  ms: 1,
  ...more,
})

test.each<[RequestFilter, boolean]>([
  [{}, true],
  [{client: 'poor'}, true],
  [{client: 'cid_sandbox_poor'}, true],
  [{client: 'cid_sandbox'}, false],
  [{status: ['4xx']}, true],
  [{status: ['404']}, true],
  [{status: ['5xx', '404']}, true],
  [{status: ['5xx', '401']}, false],
  [{operation: 'account.show'}, true],
  [{operation: 'hotels.search'}, false],
  [{client: 'poor', status: ['2xx'], operation: 'account.show'}, false],
])('%j: %s', (filter, wanted) => {
  expect(isWanted(request(), filter)).toBe(wanted)
})

test('a request without an answer has no status', () => {
  expect(isWanted(request({status: null}), {status: ['5xx', '2xx']})).toBe(false)
  expect(isWanted(request({status: null, client_id: null}), {client: 'poor'})).toBe(false)
})

test.each([['404'], ['4XX'], ['5xx']])('%s is a status or a class of them', text => {
  expect(checkStatus('--status', text)).toBe(text.toLowerCase())
})

test.each([['9'], ['44x'], ['600'], ['xxx'], ['']])('%j is neither', text => {
  expect(() => checkStatus('--status', text)).toThrow(/^--status: must be a status/)
})

/** Follows a sandbox that answers with these in turn, and then has stopped. */
async function follow(answers: readonly (object | Failure)[]) {
  const left = [...answers]
  const paths: string[] = []
  const shown: string[] = []
  const warnings: string[] = []
  const control = async (path: string) => {
    paths.push(path)
    const next = left.shift() ?? new Failure('unreachable', 'gone', {code: 'sandbox_not_running'})
    if (next instanceof Failure) throw next
    return next as Record<string, unknown>
  }
  await followRequests(control, {
    filter: {},
    show: ({request_id}) => void shown.push(request_id),
    warn: text => void warnings.push(text),
  })
  return {paths: paths.slice(1), shown, warnings}
}
const numbered = (...numbers: number[]) =>
  numbers.map(sequence => ({...request({request_id: `req_${sequence}`}), sequence}))

test('each is shown once, in the order of the answers, until the sandbox has stopped', async () => {
  const found = await follow([
    {data: [], answered: 5},
    {data: numbered(7, 6), answered: 7},
    new Failure('service_failed', 'cut', {code: 'cut'}),
    {data: [], answered: 7},
  ])
  expect(found).toEqual({
    paths: ['/requests?after=5', '/requests?after=7', '/requests?after=7', '/requests?after=7'],
    shown: ['req_6', 'req_7'],
    warnings: [],
  })
})

test('says how many were missed, and begins again with a sandbox that was started again', async () => {
  const {shown, warnings, paths} = await follow([
    {data: [], answered: 1},
    {data: numbered(300, 301), answered: 301},
    {data: [], answered: 2},
    {data: numbered(1, 2), answered: 2},
  ])
  expect(shown).toEqual(['req_300', 'req_301', 'req_1', 'req_2'])
  expect(warnings).toEqual(['Warning: 298 requests came too fast to be shown'])
  expect(paths[2]).toBe('/requests?after=0')
})

test('a failure of another kind ends it', async () => {
  const answers = [{data: [], answered: 1}, new Failure('service_failed', 'odd', {code: 'not_a_sandbox'})]
  await expect(follow(answers)).rejects.toThrow('odd')
  await expect(follow([])).rejects.toThrow('gone')
})
