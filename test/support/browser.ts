/** A real browser for tests, where there is one. */
import {existsSync} from 'node:fs'
import {delimiter, join} from 'node:path'
import {type Browser, chromium} from 'playwright-core'

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
