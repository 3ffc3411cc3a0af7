/** docs/certification.md: it names every rule of the sheet, and its programs run and keep them all. */
import {spawnSync} from 'node:child_process'
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import process from 'node:process'
import {expect, test} from 'vitest'
import {judge} from '../src/sandbox/certify/judge.js'
import {ownDirectory} from './support/own.js'
import {drillAll, startPartnerProgram} from './support/partner-program.js'

const page = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8')

const RULES = judge({requests: [], attempts: []}, 'cid_sandbox').rules.map(({rule}) => rule)

test.each(['certification.md', 'sandbox.md'])('%s names every rule, and no other', name => {
  const first = page(name).matchAll(/^\| (`.*?) \|/gm)
  const named = [...first].flatMap(([, cell = '']) => [...cell.matchAll(/`([a-z]+\.[a-z_]+)`/g)])
  const also = [...page(name).matchAll(/\(`([a-z]+\.[a-z_]+)`, advice/g)]
  expect([...named, ...also].map(([, rule]) => rule).sort()).toEqual([...RULES].sort())
})

/** What the page leaves to the reader: a receiver, and for each line of standard input as many trips at the same time as it says. */
const JS = `
import {createServer} from 'node:http'
import {createInterface} from 'node:readline'
const {PARTNER_PORT, PARTNER_SIGNING_SECRET, PARTNER_SEARCH, PARTNER_TRIP} = process.env
async function trip() {
  const found = await call('POST', '/hotels/search', JSON.parse(PARTNER_SEARCH))
  const offer = (await found.json()).data.offers.find(({refundable}) => !refundable)
  const {reservation_ref} = await book(offer.offer_id, randomUUID(), JSON.parse(PARTNER_TRIP))
  const pdf = await voucher(reservation_ref)
  await cancel(reservation_ref, 1e6)
  return pdf.subarray(0, 5)
}
createServer((request, answer) => receive(request, answer, PARTNER_SIGNING_SECRET))
  .listen(PARTNER_PORT, '127.0.0.1', () => console.log('ready'))
for await (const line of createInterface({input: process.stdin})) {
  const trips = Array.from({length: Number(line) || 1}, () => trip().catch(error => error))
  console.log([...new Set((await Promise.all(trips)).map(String))].join())
}
`
const PYTHON = `
import sys
from concurrent.futures import ThreadPoolExecutor
from http.server import ThreadingHTTPServer
def trip():
    try:
        return one_trip()
    except Exception as error:
        return str(error)
def one_trip():
    found = json.loads(call("POST", "/hotels/search", json.loads(os.environ["PARTNER_SEARCH"]))[1])
    offer = next(each for each in found["data"]["offers"] if not each["refundable"])
    reservation = book(offer["offer_id"], str(uuid.uuid4()), json.loads(os.environ["PARTNER_TRIP"]))["reservation_ref"]
    pdf = voucher(reservation)
    cancel(reservation, 1e6)
    return pdf[:5].decode()
Receiver.secret = os.environ["PARTNER_SIGNING_SECRET"]
Receiver.log_message = lambda *_: None
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PARTNER_PORT"])), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    count = int(line) if line.strip().isdigit() else 1
    with ThreadPoolExecutor(count) as pool:
        print(",".join(set(pool.map(lambda _: trip(), range(count)))), flush=True)
`

const program = (language: string) =>
  [...page('certification.md').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
    .map(([, block]) => block)
    .join('\n')

const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0

test('the programs of the page keep every rule under every drill', async () => {
  const expected = Object.fromEntries(RULES.map(rule => [rule, 'passed']))
  const judged = async (language: string, command: string, rest: string) => {
    const path = join(ownDirectory(), language === 'js' ? 'partner.mjs' : 'partner.py')
    writeFileSync(path, program(language) + rest)
    const partner = await startPartnerProgram(command, [path])
    expect(await partner.errand('trip')).toBe('%PDF-')
    await drillAll(partner)
    // Several trips at the same time, while tokens expire.
    await partner.drill('expired-token')
    expect(await partner.errand('10')).toBe('%PDF-')
    await partner.advance(3 * 3600)
    expect(await partner.errand('10')).toBe('%PDF-')
    // Nobody waits for a minute here.
    expect(partner.verdicts(), language).toEqual({...expected, 'reserve.patience': 'not_shown'})
  }
  if (!hasPython) console.warn('the Python of the page was not run: there is no python3 (3.8 or later) here')
  const inPython = hasPython ? [judged('python', 'python3', PYTHON)] : []
  await Promise.all([judged('js', process.execPath, JS), ...inPython])
})
