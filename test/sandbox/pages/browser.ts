/** A real browser for tests, where there is one. */
import {existsSync, readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {delimiter, join} from 'node:path'
import {type Browser, type BrowserContextOptions, chromium, type Page} from 'playwright-core'
import {afterAll, afterEach, beforeAll, describe} from 'vitest'
import {PATIENCE_SECONDS} from '../../support/wait.js'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Path of an installed Chromium or Chrome, or undefined. `CHROMIUM_PATH` names one that is elsewhere. */
function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = ['/usr/bin', ...(env.PATH ?? '').split(delimiter)]
  const places = folders.flatMap(folder => NAMES.map(name => join(folder, name)))
  return [env.CHROMIUM_PATH ?? '', ...places].find(path => path !== '' && existsSync(path))
}

const executablePath = findChromium()
if (!executablePath) console.warn('not tested in a browser: no Chromium found (set CHROMIUM_PATH)')

/** Opens the page at `url`, by default in a browser that runs no script. */
type Open = (url: string, options?: BrowserContextOptions) => Promise<Page>

/** Tests with one browser, each with pages of its own; skipped where there is none. */
export function describeInBrowser(what: string, tests: (open: Open) => void): void {
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

/** What axe finds in the page, which must be opened without its policy; `only` names its rules. */
export async function axeViolations(page: Page, only?: string[]): Promise<unknown> {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8'))
  const options = JSON.stringify(only ? {runOnly: only} : {})
  return page.evaluate(
    `axe.run(${options}).then(found => found.violations.map(({id, nodes}) => [id, nodes.map(node => node.html.slice(0, 200))]))`,
  )
}
