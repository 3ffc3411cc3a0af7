/** The commands that search in a city: what is missing is asked for at a terminal, else named beside all that is wrong. */

import type {Failure} from '../../../contract/failure.js'
import {currencyFlag} from '../../input/flags.js'
import {combined, missing} from '../../input/usage-errors.js'
import {BaseCommand} from '../../shell/base-command.js'
import {mayAsk} from '../../terminal/prompts/ask.js'
import {readCity, wrongCity} from './city-names.js'

export const pricesFlag = {
  currency: currencyFlag({
    helpValue: 'CCC',
    env: 'BOOKCTL_CURRENCY',
    summary: 'currency of the prices (three letters)',
  }),
}

/** The flags as typed: the city may be a name. */
interface Typed {
  readonly city?: number | string | undefined
  readonly nationality?: string | undefined
  readonly currency?: string | undefined
}

/** Without statics: oclif would look no further up for those of the classes below. */
export abstract class CitySearch extends BaseCommand {
  /** As `absentIn` takes them. */
  protected abstract readonly needed: readonly string[]

  /** What does not fit together. */
  protected misfitsIn(_given: object): Failure[] {
    return []
  }

  /** The flags with the settings and the id of the city; `ask` adds what is missing, at a terminal. Throws usage. */
  protected async complete<Flags extends Typed, Complete>(
    flags: Flags,
    ask: (known: Flags & {city: number | undefined}) => Promise<Complete>,
  ) {
    const given = await this.withDefaults(flags, this.settings([]))
    const isLacking = absentIn(given, this.needed).length > 0
    // Without a request, as long as something is missing or wrong anyway.
    if (this.misfitsIn(given).length > 0 || (isLacking && !mayAsk(this.globals)))
      throw combined(await this.alsoWrong({flags: given}, []))
    const known = {...given, city: await readCity(given.city, () => this.connect())}
    return isLacking ? ask(known) : known
  }

  protected override async alsoWrong({flags}: {flags: Typed}, refused: readonly string[]) {
    const city = await wrongCity(flags.city, await this.state(), (await this.client())?.baseUrl)
    const given = await this.withDefaults(flags, this.settings(refused))
    const placed = Object.fromEntries(refused.map(name => [name, true]))
    const absent = mayAsk(this.globals) ? [] : absentIn({...given, ...placed}, this.needed)
    return [...city, ...this.misfitsIn(given), ...(absent.length > 0 ? [missing(absent)] : [])]
  }

  private settings(refused: readonly string[]) {
    const names = ['nationality', 'currency'] as const
    return names.filter(name => this.needed.includes(`--${name}`) && !refused.includes(name))
  }
}

/** Those of the flags `needed` that `given` lacks: `--city`, or `--check-out or --nights`, of which one is enough. */
export function absentIn(given: object, needed: readonly string[]): string[] {
  const values: Readonly<Record<string, unknown>> = {...given}
  return needed.filter(names => !names.split(' or ').some(name => values[name.slice(2)]))
}
