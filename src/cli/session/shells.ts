/** Setting environment variables in the syntax of several shells. */

export const SHELLS = ['sh', 'fish', 'powershell']

/** One line a variable. The values are ours: addresses and names without quotes in them. */
export function exportLines(variables: Readonly<Record<string, string>>, shell: string): string {
  const line = {
    fish: (name: string, value: string) => `set -gx ${name} '${value}'`,
    powershell: (name: string, value: string) => `$env:${name} = '${value}'`,
  }[shell]
  const write = line ?? ((name: string, value: string) => `export ${name}='${value}'`)
  return Object.entries(variables)
    .map(([name, value]) => `${write(name, value)}\n`)
    .join('')
}
