/** §3: the customer pays at payment.url. A person's errands there, in a real browser. */
import type {BrowserContextOptions, Page} from 'playwright-core'
import {expect, it} from 'vitest'
import {CONTACT} from '../support/sandbox.js'
import {axeViolations, describeInBrowser} from './browser.js'
import {sandboxForEachTest} from './each-sandbox.js'

describeInBrowser('the payment page in a browser', open => {
  const {client} = sandboxForEachTest({})

  /** Reserves with instant payment and opens the page. */
  async function openPage(contact = {}, options?: BrowserContextOptions) {
    const [offer] = await client.search()
    const made = await client.convert(offer, {payment: {mode: 'instant'}, contact: {...CONTACT, ...contact}})
    expect(made.json.data.status).toBe('PENDING_PAYMENT')
    return {page: await open(made.json.data.payment.url, options), reservation: made.json.data}
  }

  const choose = (page: Page, name: RegExp) => page.getByRole('button', {name}).click()
  const shown = async (ref: string) => await client.get(`/reservations/${ref}`)

  it('can be used with the keyboard alone', async () => {
    const {page, reservation} = await openPage()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', {name: /Paid/}).waitFor()
    expect(await shown(reservation.reservation_ref)).toMatchObject({status: 'CONFIRMED'})
  })

  it('passes axe in light and dark colours', async () => {
    const {page} = await openPage({}, {bypassCSP: true})
    const check = async () => {
      await page.emulateMedia({colorScheme: 'light'})
      expect(await axeViolations(page)).toEqual([])
      await page.emulateMedia({colorScheme: 'dark'})
      expect(await axeViolations(page, ['color-contrast'])).toEqual([])
    }
    for (const next of [/Decline/, /^Try again/]) {
      await check()
      await choose(page, next)
    }
    await check()
  })

  it('fits a narrow phone', async () => {
    const long = {name: 'W'.repeat(200), surname: 'Öğüt'}
    const {page} = await openPage(long, {viewport: {width: 320, height: 640}, isMobile: true})
    const widths = await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
    expect(widths).toEqual([320, 320])
    const heights = await page.getByRole('button').evaluateAll(all => {
      return all.map(each => (each as unknown as {offsetHeight: number}).offsetHeight)
    })
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
  })
})
