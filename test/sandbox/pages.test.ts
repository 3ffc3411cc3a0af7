/** The dashboard in a real browser: hostile data, layout, and scripts. */

import {existsSync, readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {delimiter, join} from 'node:path'
import {type Browser, type BrowserContextOptions, chromium, type Page} from 'playwright-core'
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest'
import {closing} from '../support/own.js'
import {ADULT, CONTACT} from '../support/sandbox.js'
import {startSubscriber} from '../support/subscriber.js'
import {PATIENCE_SECONDS} from '../support/wait.js'
import {sandboxForEachTest} from './each-sandbox.js'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of an installed Chromium or Chrome, or undefined. `CHROMIUM_PATH` can name one elsewhere. */
function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = ['/usr/bin', ...(env.PATH ?? '').split(delimiter)]
  const places = folders.flatMap(folder => NAMES.map(name => join(folder, name)))
  return [env.CHROMIUM_PATH ?? '', ...places].find(path => path !== '' && existsSync(path))
}

const executablePath = findChromium()
if (!executablePath) console.warn('not tested in a browser: no Chromium found (set CHROMIUM_PATH)')

const HOSTILE =
  '<img src="http://evil.example/x" onerror="window.planted=1"><script>window.planted=2</script>'
const instant = {payment: {mode: 'instant'}}
const LISTS = [
  'reservations',
  'events',
  'deliveries',
  'subscriptions',
  'requests',
  'ledger',
  'certificate',
  'faults',
]

describeInBrowser('the sandbox’s pages in a browser', openAt => {
  const {sandbox, client} = sandboxForEachTest({allowHttpLoopback: true})
  const open = (path: string, options?: BrowserContextOptions) => openAt(sandbox.origin + path, options)
  const widthsOf = (page: Page) => page.evaluate('[document.documentElement.scrollWidth, innerWidth]')

  /**
   * Puts hostile text into everything that clients can fill in: names, references, URLs, headers and paths. Returns the paths of
   * all pages.
   */
  async function fillWithHostileData(): Promise<string[]> {
    const {origin} = closing(await startSubscriber())
    const url = `${origin}/"><script>window.planted=3</script>`
    await client.call('POST', '/webhooks/subscriptions', {url, events: ['payment.failed']})
    const surname = `\u202E\u2066gnorw${'W'.repeat(245)}`
    const guest = {...ADULT, name: `${HOSTILE}\u200b`, surname}
    const marks = {...ADULT, is_lead: false, name: `Z${'\u0301'.repeat(250)}`, surname: '</td></tr><tr><td>x'}
    const {reservation_ref, payment} = await client.book({
      ...instant,
      client_reference_id: '"\'><a/href=javascript:window.planted=4>&amp;</bdi>',
      contact: {...CONTACT, name: HOSTILE, surname: `${'<b>'.repeat(30)}\u2028Reservation RSV-FORGED`},
      guests: [guest, marks],
    })
    await sandbox.control('POST', `/_sandbox/payments/${reservation_ref}`, {result: 'failed'})
    await client.call('GET', '/hotels/%3Cscript%3Ewindow.planted=5%3C/script%3E?status=%3Cb%3E', undefined, {
      'user-agent': HOSTILE,
      'idempotency-key': '" onmouseover="window.planted=6',
    })
    await sandbox.advance(0)
    const [event] = await sandbox.listed('events')
    const [delivery] = await sandbox.listed('deliveries')
    const requests = await sandbox.listed('requests')
    return [
      '/',
      `/ui/reservations/${reservation_ref}`,
      `/ui/reservations?search=${encodeURIComponent(HOSTILE)}`,
      `/ui/events/${event.id}`,
      `/ui/deliveries/${delivery.delivery_id}`,
      `/ui/deliveries?subscription=${encodeURIComponent('"><script>window.planted=7</script>')}`,
      ...requests.slice(-2).map((request: {request_id: string}) => `/ui/requests/${request.request_id}`),
      ...LISTS.map(name => `/ui/${name}`),
      new URL(payment.url).pathname,
    ]
  }

  it('shows hostile data as text: nothing runs, nothing is fetched, nothing is forged', async () => {
    const paths = await fillWithHostileData()
    const page = await open('/', {})
    const seen: unknown[] = []
    page.on('console', message => seen.push(message.text()))
    page.on('request', request => {
      if (new URL(request.url()).origin !== sandbox.origin) seen.push(request.url())
    })
    const foreign = [
      'script:not(body > script:last-child), img, b, iframe, [onerror], [onmouseover]',
      'a:not([href^="/"]):not([href="#main"])',
    ]
    for (const path of paths) {
      await page.goto(sandbox.origin + path)
      const planted = await page.evaluate('window.planted ?? null')
      const elements = await page.locator([...foreign, 'td:has(table)', 'tr tr'].join(', ')).count()
      expect([path, planted, elements]).toEqual([path, null, 0])
    }
    expect(seen).toEqual([])
    await page.goto(sandbox.origin + paths[1])
    const shown = await page.locator('main').innerText()
    const escaped = ['\\u202e\\u2066gnorwWWW', '\\u200b', '\\u2028Reservation RSV-FORGED']
    for (const part of [HOSTILE, ...escaped]) expect(shown).toContain(part)
    expect(await page.locator('section[aria-labelledby=guests] tbody tr').count()).toBe(2)
  })

  it('passes axe and fits every width, also with hostile data', async () => {
    const paths = await fillWithHostileData()
    await sandbox.fault({operation: 'account.show', kind: 'html'})
    const page = await open('/', {bypassCSP: true})
    for (const path of [...paths, '/ui/nothing', '/?done=reset']) {
      await page.goto(sandbox.origin + path)
      expect([path, await axeViolations(page)]).toEqual([path, []])
      for (const width of [360, 800, 1024, 1280]) {
        await page.setViewportSize({width, height: 800})
        expect([path, await widthsOf(page)]).toEqual([path, [width, width]])
      }
    }
    const phone = await open(paths[1] ?? '', {viewport: {width: 360, height: 800}, isMobile: true})
    expect(await widthsOf(phone)).toEqual([360, 360])
    await page.setViewportSize({width: 360, height: 640})
    await page.goto(`${sandbox.origin}/ui/deliveries`)
    expect(await axeViolations(page)).toEqual([])
    await page.emulateMedia({colorScheme: 'dark'})
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(16, 21, 28)')
    for (const path of ['/', '/ui/faults', '/ui/nothing', paths.at(-1)]) {
      await page.goto(sandbox.origin + path)
      expect([path, await axeViolations(page, ['color-contrast'])]).toEqual([path, []])
    }
  })

  it('explains each kind of fault, and shows the fields of the one that is chosen', async () => {
    const page = await open('/ui/faults')
    const named = async () => {
      const texts = await page.locator('form[action="/ui/faults"] .actions label:visible').allInnerTexts()
      return texts.map(text => text.split('\n')[0])
    }
    const always = ['Operation', 'Times (default 1)']
    expect(await named()).toEqual([...always, 'Status', 'Retry-After in s', 'Error code'])
    for (const [kind, more] of [
      [/^latency waits/, ['Delay in ms']],
      [/^truncate sends half/, []],
      [/^html answers/, ['Status']],
    ] as const) {
      await page.getByRole('radio', {name: kind}).check()
      expect(await named()).toEqual([...always, ...more])
    }
  })

  it('copies credentials where scripts run, and shows no button where they do not', async () => {
    const plain = await open('/')
    expect(await plain.locator('[data-copy]:visible').count()).toBe(0)
    const page = await open('/', {permissions: ['clipboard-read', 'clipboard-write']})
    await page.getByRole('button', {name: 'Copy the client secret', exact: true}).click()
    await page.getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('sk_test_sandbox')
  })

  it('has one row of sections on a phone, the current one in view, and breaks no segment of a path', async () => {
    const {reservation_ref} = await client.book(instant)
    await client.call('GET', `/reservations/${reservation_ref}/cancellation-quote`)
    const page = await open('/ui/faults', {viewport: {width: 375, height: 812}, isMobile: true})
    expect((await page.locator('header').boundingBox())?.height).toBeLessThan(110)
    const {x, width} = (await page.locator('[aria-current]').boundingBox()) ?? {x: -1, width: 0}
    expect([x >= 0, x + width <= 375]).toEqual([true, true])
    await page.goto(`${sandbox.origin}/ui/requests`)
    const lines = await page
      .locator('.path span')
      .evaluateAll(spans => spans.map(span => (span as unknown as Placed).getClientRects().length))
    expect(lines.length).toBeGreaterThan(10)
    expect(lines.every(count => count === 1)).toBe(true)
  })

  it('keeps the roles of its tables where they are shown as blocks', async () => {
    await client.book()
    const page = await open('/ui/reservations', {viewport: {width: 360, height: 640}, isMobile: true})
    expect(await page.getByRole('columnheader', {includeHidden: true}).count()).toBe(7)
    expect(await page.getByRole('table').getByRole('row').last().getByRole('cell').count()).toBe(6)
    expect(await page.evaluate('getComputedStyle(document.querySelector("td")).display')).toBe('flex')
  })

  it('refuses forms from pages of another site', async () => {
    const {reservation_ref} = await client.book(instant)
    const path = `/ui/reservations/${reservation_ref}/payment`
    const page = await open('/')
    for (const from of ['http://evil.example/', `${closing(await startSubscriber()).origin}/`]) {
      const body = `<form method="post" action="${sandbox.origin}${path}"><button name="result" value="paid">x</button></form>`
      await page.route(`${from}**`, route => route.fulfill({contentType: 'text/html', body}))
      await page.goto(from)
      await Promise.all([page.waitForURL(sandbox.origin + path), page.getByRole('button').click()])
      expect(await page.locator('main').innerText()).toContain('pages of another origin')
    }
    const {json} = await client.call('GET', `/reservations/${reservation_ref}`)
    expect(json.data.status).toBe('PENDING_PAYMENT')
  })

  it('lets a customer pay on a narrow phone with the keyboard alone', async () => {
    const {reservation_ref, payment} = await client.book({
      ...instant,
      contact: {...CONTACT, name: 'W'.repeat(200)},
    })
    const narrow = {viewport: {width: 320, height: 640}, isMobile: true}
    const page = await openAt(payment.url, {...narrow, bypassCSP: true})
    expect(await widthsOf(page)).toEqual([320, 320])
    const heights = await page.getByRole('button').evaluateAll(all => {
      return all.map(each => (each as unknown as Placed).offsetHeight)
    })
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', {name: /Paid/}).waitFor()
    expect((await client.get(`/reservations/${reservation_ref}`)).status).toBe('CONFIRMED')
    expect(await axeViolations(page)).toEqual([])
    await page.emulateMedia({colorScheme: 'dark'})
    expect(await axeViolations(page, ['color-contrast'])).toEqual([])
  })
})

/** A type for code that runs inside the page. */
interface Placed {
  readonly offsetHeight: number
  getClientRects(): {readonly length: number}
}

/** Opens the page at `url`. By default the browser runs no scripts. */
type Open = (url: string, options?: BrowserContextOptions) => Promise<Page>

/** Runs tests that share a browser and have pages of their own. They are skipped if no browser is installed. */
function describeInBrowser(what: string, tests: (open: Open) => void): void {
  describe.skipIf(!executablePath)(what, () => {
    let browser: Browser
    beforeAll(async () => {
      const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking']
      browser = await chromium.launch({executablePath: executablePath ?? '', args})
    })
    afterAll(() => browser?.close())
    afterEach(() => Promise.all(browser.contexts().map(context => context.close())))
    tests(async (url, options = {javaScriptEnabled: false}) => {
      const page = await (await browser.newContext(options)).newPage()
      page.setDefaultTimeout(PATIENCE_SECONDS * 1000)
      await page.goto(url)
      return page
    })
  })
}

/**
 * Returns the violations that axe finds in the page, of all rules or of those in `only`. The page must be opened without its
 * Content-Security-Policy.
 */
async function axeViolations(page: Page, only?: string[]): Promise<unknown> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'))
  const options = JSON.stringify(only ? {runOnly: only} : {})
  return page.evaluate(
    `axe.run(${options}).then(found => found.violations.map(({id, nodes}) => [id, nodes.map(node => node.html.slice(0, 200))]))`,
  )
}
