/** `help environment`, made from the table of variables. */
import type {HelpFormatter} from '@oclif/core/help'
import {list, prose} from './layout.js'
import {VARIABLE_GROUPS, VARIABLES} from './variables.js'

const INTRODUCTION = `
A flag goes before its variable, a variable before the profile, the profile before what is built in. A variable that is set but empty counts as not set.

With BOOKCTL_BASE_URL, BOOKCTL_CLIENT_ID and BOOKCTL_CLIENT_SECRET set, every command works with no login, no file and no writable home. \`eval "$(bookctl sandbox env)"\` sets them for the local sandbox.`

export function environmentText(help: HelpFormatter): string {
  const groups = Object.entries(VARIABLE_GROUPS).map(([group, heading]) => {
    const rows = VARIABLES.filter(variable => variable.group === group).map(
      ({name, meaning, flag}) => [name, flag === undefined ? meaning : `${meaning} (${flag})`] as const,
    )
    return `${prose(help, `${heading}:`)}\n${list(help, rows)}`
  })
  return [prose(help, INTRODUCTION), ...groups].join('\n\n')
}
