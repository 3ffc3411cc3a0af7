/** The completion script for fish, which quotes what it inserts: what is asked on TAB is data. */

import type {Candidate} from '../candidates.js'
import type {CompletionModel, Place, Values} from './model.js'
import {fishQuote as quote} from './quote.js'

/** The script for fish's directory of completions, or for `source`. */
export function fishScript(model: CompletionModel): string {
  const {everywhere, places} = model
  return `# Completion of bookctl for fish; made by: bookctl autocomplete fish
# Reading this file starts no process; bookctl is asked on TAB for what it remembers, and for nothing else.

# The words, flags and flags with a value of the command, in variables of the caller.
function __bookctl_facts --no-scope-shadowing
    set subs
    set flags ${entries(everywhere.flags)}
    set valued ${everywhere.valued.map(quote).join(' ')}
    switch "$argv[1]"
${places.map(factsCase).join('\n')}
    end
end

# Where the values of the flag or argument come from: of the command, else of every command.
function __bookctl_values --no-scope-shadowing
    switch "$argv[2]"
${[...everywhere.values].map(([name, values]) => `        case ${quote(name)}\n            ${assign(values)}`).join('\n')}
    end
    switch "$argv[1] $argv[2]"
${places.flatMap(place => [...place.values].map(([name, values]) => valuesCase(place.path, name, values))).join('\n')}
    end
end

${ENGINE}`
}

function entries(candidates: readonly Candidate[]): string {
  return candidates.map(({value, description}) => `${quote(value)}\\t${quote(description)}`).join(' ')
}

function factsCase({path, words, flags, valued}: Place): string {
  const lines = [
    `set subs ${entries(words)}`,
    `set -a flags ${entries(flags)}`,
    `set -a valued ${valued.map(quote).join(' ')}`,
  ].filter(line => !line.endsWith(' '))
  return `        case ${quote(path)}\n${lines.map(line => `            ${line}`).join('\n')}`
}

function valuesCase(path: string, name: string, values: Values): string {
  // Between quotes * stands for anything in a case of fish.
  return `        case ${quote(`${path} ${name}`)}\n            ${assign(values)}`
}

function assign(values: Values): string {
  if (values.kind === 'asked') return `set asked ${quote(values.source)}`
  if (values.kind === 'files') return 'set files 1'
  return `set given ${entries(values.candidates)}${values.isList ? '; set list 1' : ''}`
}

const ENGINE = String.raw`function __bookctl_complete
    set -l subs
    set -l flags
    set -l valued
    set -l given
    set -l asked
    set -l files
    set -l list
    set -l path ''
    set -l pending ''
    set -l dashes ''
    set -l prefix ''
    set -l position 0
    set -l typed (commandline -opc)
    set -l cur (commandline -ct)
    __bookctl_facts ''
    for word in $typed[2..-1]
        set -l names
        test -n "$subs"; and set names (string split --fields 1 \t -- $subs)
        if test -n "$pending"
            set pending ''
        else if test -n "$dashes"
            set position (math $position + 1)
        else if test "$word" = --
            set dashes 1
        else if string match -q -- '-*=*' "$word"
            continue
        else if string match -q -- '-*' "$word"
            contains -- "$word" $valued; and set pending "$word"
        else if test $position = 0; and contains -- "$word" $names
            set path (string trim -- "$path $word")
            __bookctl_facts "$path"
        else
            set position (math $position + 1)
        end
    end

    if test -n "$pending"
        __bookctl_values "$path" "$pending"
    else if test -z "$dashes"; and string match -q -- '--*=*' "$cur"
        set -l halves (string split --max 1 = -- "$cur")
        set prefix "$halves[1]="
        set cur "$halves[2]"
        __bookctl_values "$path" "$halves[1]"
    else if test -z "$dashes"; and string match -q -- '-*' "$cur"
        set given $flags
    else
        __bookctl_values "$path" "#$position"
        test $position = 0; and set -a given $subs
    end

    if test -n "$list"; and string match -q -- '*,*' "$cur"
        set prefix "$prefix"(string replace -r '[^,]*$' '' -- "$cur")
    end
    if test -n "$asked"
        set -a given (command bookctl __complete "$asked" 2>/dev/null </dev/null)
    end
    for one in $given
        printf '%s%s\n' "$prefix" "$one"
    end
    if test -n "$files"
        for one in (__fish_complete_path "$cur")
            printf '%s%s\n' "$prefix" "$one"
        end
    end
end

complete --command bookctl --erase
complete --command bookctl --no-files --arguments '(__bookctl_complete)'
`
