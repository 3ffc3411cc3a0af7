/** The sandbox removes what has expired by its clock, and returns the space. Expired ids are still recognised as expired. */
import {readdirSync, statSync} from 'node:fs'
import {Agent, request} from 'node:http'
import {join} from 'node:path'
import {describe, expect, test} from 'vitest'
import {MIGRATIONS} from '../../../src/sandbox/store/schema.js'
import {openDatabase} from '../../../src/storage/database.js'
import {closing, ownDirectory} from '../../support/own.js'
import {searchRequest, startSandbox, TEST_START} from '../../support/sandbox.js'
import {waitUntil} from '../../support/wait.js'
import {refusalOf, sandboxForEachTest} from '../each-sandbox.js'

test('a file gives the space of expired searches back', async () => {
  const directory = ownDirectory()
  const path = join(directory, 'sandbox.db')
  const database = openDatabase(':memory:', {migrations: MIGRATIONS})
  const sql = 'INSERT INTO searches (client_id, criteria, searched_at) VALUES (?, ?, ?)'
  const criteria = JSON.stringify(searchRequest())
  for (let n = 0; n < 3000; n++) database.run(sql, 'cid_sandbox', criteria, TEST_START)
  database.run('VACUUM INTO ?', path)
  database.close()
  const full = statSync(path).size
  const sandbox = closing(await startSandbox({inProcess: true, database: path}))
  await sandbox.advance(16 * 60)
  /** The size of the database and its log. */
  const bytes = () =>
    readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0)
  // More than one step is needed, and the later ones follow automatically.
  await waitUntil(() => bytes() < full / 3, 'the space to be given back')
})

describe('what has expired', () => {
  const {sandbox, client} = sandboxForEachTest()

  test('is still reported as expired long after its record was deleted', async () => {
    const [booked, other] = await client.search()
    await client.convert(booked)
    await sandbox.advance(30 * 86_400)
    expect(await refusalOf(client.call('GET', '/account'))).toBe('401 token_expired')
    const later = await sandbox.client()
    const price = (id: string) => refusalOf(later.call('GET', `/hotels/offers/${id}`))
    expect(await price(booked.offer_id)).toBe('409 offer_already_used')
    expect(await price(other.offer_id)).toBe('410 offer_expired')
    const poor = await sandbox.client('_poor')
    const ofAnother = poor.call('GET', `/hotels/offers/${other.offer_id}`)
    expect(await refusalOf(ofAnother)).toBe('404 offer_not_found')
  })

  test('is distinguished from an id that never existed', async () => {
    const [{offer_id: id}] = await client.search()
    const last = id.at(-1) === 'A' ? 'Q' : 'A'
    for (const made of [
      `${id.slice(0, -1)}${last}`,
      `${id}A`,
      id.slice(0, -1),
      'off_',
      `off_${'A'.repeat(22)}`,
    ]) {
      const answer = client.call('GET', `/hotels/offers/${made}`)
      expect([made, await refusalOf(answer)]).toEqual([made, '404 offer_not_found'])
    }
    const authorization = `Bearer at_${'A'.repeat(65)}`
    expect(await refusalOf(client.call('GET', '/account', undefined, {authorization}))).toBe(
      '401 token_invalid',
    )
  })
})

test('an offer shows what was found when it was searched, at any later time', async () => {
  const sandbox = closing(await startSandbox({inProcess: true, offers: 60}))
  const client = await sandbox.client()
  const found = await client.search({currency: 'KWD', rooms: [{adults: 1, children_ages: [3]}]})
  await sandbox.advance(14 * 60)
  for (const offer of [found[0], found[7], found[59]]) {
    expect(await client.get(`/hotels/offers/${offer.offer_id}`)).toEqual(offer)
  }
})

test('no connection waits while others are answered again and again', async () => {
  const sandbox = closing(await startSandbox({}))
  const {token} = await sandbox.client()
  const agent = new Agent({keepAlive: true})
  const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'}
  const body = JSON.stringify(searchRequest())
  const answered = Array.from({length: 100}, () => 0)
  const ask = () =>
    new Promise((resolve, reject) => {
      const url = `${sandbox.baseUrl}/hotels/search`
      const asked = request(url, {method: 'POST', agent, headers}, answer =>
        answer.resume().on('end', resolve),
      )
      asked.on('error', reject).end(body)
    })
  const most: number[] = []
  await Promise.all(
    answered.map(async (_, n) => {
      while (answered.includes(0)) {
        await ask()
        answered[n] = (answered[n] ?? 0) + 1
      }
      most.push(answered[n] ?? 0)
    }),
  )
  agent.destroy()
  expect(Math.max(...most)).toBeLessThan(20)
})
