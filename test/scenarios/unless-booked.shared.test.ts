/** `reserve --unless-booked` where machines share one PostgreSQL: what one booked, another prints. */
import {expect, test} from 'vitest'
import {reserving} from '../support/stay.js'
import {describeSharing, POSTS} from './sharing-machines.js'

const job = (reference: string, offer: string, ...more: string[]) =>
  reserving(offer, '--client-reference', reference, '--unless-booked', ...more)
const withOtherGuests = (argv: readonly string[]) => argv.map(word => word.replace('name=Can', 'name=Cem'))

await describeSharing(({service, machine, sent}) => {
  test('a booking of one machine is printed by another, even if its request differs', async () => {
    const made = await machine().json(job('S-1', 'off_1'))
    expect(made).toMatchObject({exit: 0, result: {outcome: 'confirmed'}, stderr: ''})
    const {reservation_ref, idempotency_key} = made.result
    const result = {reservation_ref, idempotency_key, outcome: 'confirmed'}
    expect(await machine().json(job('S-1', 'off_1'))).toMatchObject({exit: 0, result, stderr: ''})
    for (const more of [[], ['--dry-run']]) {
      const other = await machine().json(withOtherGuests(job('S-1', 'off_2', ...more)))
      expect(other).toMatchObject({exit: 0, result})
      expect(other.stderr).toContain('differs: offer off_2 instead of off_1, other guests\n')
    }
    const rotated = await machine({BOOKCTL_CLIENT_SECRET: 'sk_test_another'}).json(job('S-1', 'off_1'))
    expect(rotated).toMatchObject({exit: 0, result})
    expect(rotated.stderr).toContain('guests, contact or payment cannot be compared')
    expect(sent()).toBe(1)
  })

  test('a machine that was killed while it booked: another resumes with its key and body', async () => {
    const killed = await machine().run(job('S-2', 'off_3'), {
      onStart: child =>
        service.at(POSTS, request => {
          service.commit(request)
          child.kill('SIGKILL')
        }),
    })
    expect(killed.exit).toBe('SIGKILL')
    service.script = () => false
    const before = service.reservations.length
    const resumed = await machine().json(withOtherGuests(job('S-2', 'off_4')))
    expect(resumed).toMatchObject({exit: 0, result: {outcome: 'confirmed'}})
    expect(resumed.stderr).toContain('a reservation may exist')
    expect(service.reservations).toHaveLength(before)
    expect(new Set(service.seen(POSTS).map(({body}) => body)).size).toBe(1)
  })

  test('of several machines at once with different offers one books, and all print it', async () => {
    const before = service.reservations.length
    const offers = ['off_11', 'off_12', 'off_13', 'off_14']
    const runs = await Promise.all(offers.map(offer => machine().spawn(job('S-3', offer, '--json'))))
    expect(runs.map(({exit, stdout}) => (exit === 0 ? 0 : stdout))).toEqual([0, 0, 0, 0])
    const references = runs.map(
      ({stdout}) => (JSON.parse(stdout) as {reservation_ref: string}).reservation_ref,
    )
    expect(new Set(references).size).toBe(1)
    expect(service.reservations).toHaveLength(before + 1)
  })
})
