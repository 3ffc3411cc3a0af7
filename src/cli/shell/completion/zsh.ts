/** The completion script for zsh. What is asked on TAB goes to compadd as arrays, which quotes it: it is data. */

import type {Candidate} from '../candidates.js'
import type {CompletionModel, Place} from './model.js'
import {valuesFunction} from './posix.js'
import {posixQuote as quote} from './quote.js'

/** The script for a directory of `fpath`, or for `source` after compinit. */
export function zshScript(model: CompletionModel): string {
  const {everywhere, places} = model
  return `#compdef bookctl
# Completion of bookctl for zsh; made by: bookctl autocomplete zsh
# Reading this file starts no process; bookctl is asked on TAB for what it remembers, and for nothing else.

# The flags of every command; pairs of name and description.
_bookctl_everywhere() {
  flags+=(${pairs(everywhere.flags)})
  valued+=(${everywhere.valued.map(quote).join(' ')})
}

# The words, flags and flags with a value of the command $1.
_bookctl_facts() {
  subs=() flags=() valued=()
  case "$1" in
${places.map(factsCase).join('\n')}
  esac
  _bookctl_everywhere
}

${valuesFunction(model, ({candidates}) => `(${pairs(candidates)})`)}

${ENGINE}`
}

function pairs(candidates: readonly Candidate[]): string {
  return candidates.map(({value, description}) => `${quote(value)} ${quote(description)}`).join(' ')
}

function factsCase({path, words, flags, valued}: Place): string {
  return `  ${quote(path)})
    subs=(${pairs(words)})
    flags=(${pairs(flags)})
    valued=(${valued.map(quote).join(' ')})
    ;;`
}

const ENGINE = String.raw`# Offers pairs of value and description.
_bookctl_offer() {
  local -a values shown
  local value description
  for value description in "$@"; do
    values+=("$value")
    shown+=("$value${'$'}{description:+  -- $description}")
  done
  (($#values)) || return 1
  # Those known by their descriptions do not begin with what is typed: they take its place.
  local -a beginning
  beginning=(${'$'}{(M)values:#${'$'}{(b)${'$'}{(Q)PREFIX}}*})
  if (($#beginning)); then compadd -l -d shown -a values
  else compadd -U -l -d shown -a values
  fi
}

_bookctl() {
  emulate -L zsh
  local -a subs flags valued given
  local path_='' pending='' dashes='' asked='' files='' list='' word line
  local -i i position=0
  _bookctl_facts ''
  for ((i = 2; i < CURRENT; i++)); do
    word="${'$'}{(Q)words[i]}"
    if [[ -n $pending ]]; then pending=''
    elif [[ -n $dashes ]]; then position+=1
    elif [[ $word == -- ]]; then dashes=1
    elif [[ $word == -*=* ]]; then :
    elif [[ $word == -* ]]; then
      if ((${'$'}{valued[(Ie)$word]})); then pending="$word"; fi
    elif ((position == 0 && ${'$'}{subs[(Ie)$word]} % 2)); then
      path_="${'$'}{path_:+$path_ }$word"
      _bookctl_facts "$path_"
    else position+=1
    fi
  done

  if [[ -n $pending ]]; then _bookctl_values "$path_" "$pending"
  elif [[ -z $dashes && $PREFIX == --*=* ]]; then
    _bookctl_values "$path_" "${'$'}{PREFIX%%=*}"
    compset -P 1 '*='
  elif [[ -z $dashes && $PREFIX == -* ]]; then given=("${'$'}{flags[@]}")
  else
    _bookctl_values "$path_" "#$position"
    if ((position == 0)); then given+=("${'$'}{subs[@]}"); fi
  fi

  if [[ -n $list ]]; then compset -P '*,'; fi
  if [[ -n $files ]]; then _files; fi
  if [[ -n $asked ]]; then
    for line in ${'$'}{(f)"$(command bookctl __complete "$asked" "${'$'}{(Q)PREFIX}" 2>/dev/null </dev/null)"}; do
      given+=("${'$'}{line%%$'\t'*}" "${'$'}{line#*$'\t'}")
    done
  fi
  _bookctl_offer "${'$'}{given[@]}"
}

if [[ "${'$'}{funcstack[1]}" == _bookctl ]]; then _bookctl "$@"
else compdef _bookctl bookctl
fi
`
