/** Which sources and packages a run of the built binary loads, whatever files the build has put them in. */
import {existsSync, readFileSync} from 'node:fs'
import {dirname, join, resolve} from 'node:path'
import {fileURLToPath} from 'node:url'
import type {Finished, Home} from '../support/bookctl.js'
import {ownDirectory} from '../support/own.js'

const PRELOAD = new URL('./loaded-preload.mjs', import.meta.url)
const DIST = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Runs `bookctl ...argv`; names the packages (`zod`), their files (`zod/index.js`) and sources (`src/api/operations/client.ts`) that were loaded. */
export async function runAndList(
  home: Home,
  argv: readonly string[],
): Promise<Finished & {readonly loaded: ReadonlySet<string>}> {
  const list = join(ownDirectory(), 'loaded')
  const env = {NODE_OPTIONS: `--import ${PRELOAD.href}`, LOADED_FILE: list}
  const finished = await home.run(argv, {env})
  const files = new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))
  return {...finished, loaded: new Set([...files].flatMap(sourcesOf).flatMap(namesOf))}
}

/** What a built file was made of, by its map; any other file is made of itself. */
function sourcesOf(file: string): string[] {
  if (!file.startsWith(DIST) || !existsSync(`${file}.map`)) return [file]
  const {sources} = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as {sources: string[]}
  return sources.map(source => resolve(dirname(file), source))
}

/** A source of ours, or a package and its file. */
function namesOf(path: string): string[] {
  const [, file, name] = /.*\/node_modules\/(((?:@[^/]+\/)?[^/]+).*)/.exec(path) ?? []
  return file && name ? [name, file] : [path.replace(/^.*\/src\//, 'src/')]
}
