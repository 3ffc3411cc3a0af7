/** A real browser for tests, where there is one. */
import {existsSync, readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {delimiter, join} from 'node:path'
import {type Browser, chromium, type Page} from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Path of an installed Chromium or Chrome, or undefined. `CHROMIUM_PATH` names one that is elsewhere. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = ['/usr/bin', ...(env.PATH ?? '').split(delimiter)]
  const places = folders.flatMap(folder => NAMES.map(name => join(folder, name)))
  return [env.CHROMIUM_PATH ?? '', ...places].find(path => path !== '' && existsSync(path))
}

export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
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
