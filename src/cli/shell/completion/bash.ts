/**
 * The completion script for bash 3.2 and newer. What is asked on TAB is data: it is quoted by `printf %q` before it
 * reaches the command line, and never looked at by eval.
 */
import type {CompletionModel, Place} from './model.js'
import {valuesFunction} from './posix.js'
import {posixQuote as quote} from './quote.js'

/** The script for `source`, or for the directory of bash-completion. */
export function bashScript(model: CompletionModel): string {
  const {everywhere, places} = model
  return `# Completion of bookctl for bash; made by: bookctl autocomplete bash
# Reading this file starts no process; bookctl is asked on TAB for what it remembers, and for nothing else.

_bookctl_everywhere=${quote(namesOf(everywhere.flags))}
_bookctl_everywhere_valued=${quote(everywhere.valued.join(' '))}

# The words, flags and flags with a value of the command $1.
_bookctl_facts() {
  case "$1" in
${places.map(factsCase).join('\n')}
  *) words='' flags='' valued='' ;;
  esac
}

${valuesFunction(model, ({candidates}) => quote(namesOf(candidates)))}

${ENGINE}`
}

function namesOf(candidates: readonly {readonly value: string}[]): string {
  return candidates.map(({value}) => value).join(' ')
}

function factsCase({path, words, flags, valued}: Place): string {
  const facts = `words=${quote(namesOf(words))} flags=${quote(namesOf(flags))} valued=${quote(valued.join(' '))}`
  return `  ${quote(path)}) ${facts} ;;`
}

const ENGINE = String.raw`# Divides what stands before the cursor into _bookctl_typed, without quotes and backslashes; the last is being typed.
_bookctl_divide() {
  local line="${'$'}{COMP_LINE:0:COMP_POINT}" char='' quote='' word='' begun='' i=0
  _bookctl_typed=()
  for ((i = 0; i < ${'$'}{#line}; i++)); do
    char="${'$'}{line:i:1}"
    if [[ $quote == "'" ]]; then
      if [[ $char == "'" ]]; then quote=''; else word+="$char"; fi
    elif [[ $char == \\ ]]; then
      i=$((i + 1)) begun=1
      word+="${'$'}{line:i:1}"
    elif [[ $quote == '"' ]]; then
      if [[ $char == '"' ]]; then quote=''; else word+="$char"; fi
    elif [[ $char == "'" || $char == '"' ]]; then
      quote="$char" begun=1
    elif [[ $char == ' ' || $char == $'\t' ]]; then
      if [[ -n $word || -n $begun ]]; then _bookctl_typed+=("$word"); fi
      word='' begun=''
    else
      word+="$char"
    fi
  done
  _bookctl_typed+=("$word")
}

_bookctl() {
  local -a _bookctl_typed
  local words='' flags='' valued='' given='' asked='' files='' list=''
  local IFS=$' \t\n'
  local path='' pending='' dashes='' word='' description='' quoted='' i=0 position=0
  COMPREPLY=()
  _bookctl_divide
  local last=$((${'$'}{#_bookctl_typed[@]} - 1))
  local cur="${'$'}{_bookctl_typed[last]}"
  local whole="$cur" prefix=''

  _bookctl_facts ''
  for ((i = 1; i < last; i++)); do
    word="${'$'}{_bookctl_typed[i]}"
    if [[ -n $pending ]]; then pending=''
    elif [[ -n $dashes ]]; then position=$((position + 1))
    elif [[ $word == -- ]]; then dashes=1
    elif [[ $word == -*=* ]]; then :
    elif [[ $word == -* ]]; then
      if [[ " $valued $_bookctl_everywhere_valued " == *" $word "* ]]; then pending="$word"; fi
    elif [[ $position == 0 && -n $word && " $words " == *" $word "* ]]; then
      path="${'$'}{path:+$path }$word"
      _bookctl_facts "$path"
    else position=$((position + 1))
    fi
  done

  if [[ -n $pending ]]; then _bookctl_values "$path" "$pending"
  elif [[ -z $dashes && $cur == --*=* ]]; then
    prefix="${'$'}{cur%%=*}=" cur="${'$'}{cur#*=}"
    _bookctl_values "$path" "${'$'}{prefix%=}"
  elif [[ -z $dashes && $cur == -* ]]; then given="$flags $_bookctl_everywhere"
  elif [[ -n $words && $position == 0 ]]; then
    _bookctl_values "$path" '#0'
    given="$words $given"
  else _bookctl_values "$path" "#$position"
  fi

  if [[ -n $list && $cur == *,* ]]; then prefix+="${'$'}{cur%,*}," cur="${'$'}{cur##*,}"; fi
  for word in $given; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$prefix$word"); fi
  done
  if [[ -n $files ]]; then
    while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen -f -- "$cur")
    type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  fi
  if [[ -n $asked ]]; then
    local -a values descriptions
    values=() descriptions=()
    while IFS=$'\t' read -r word description; do
      values+=("$word") descriptions+=("$description")
    done < <(command bookctl __complete "$asked" "$cur" 2>/dev/null </dev/null)
    for ((i = 0; i < ${'$'}{#values[@]}; i++)); do
      printf -v quoted %q "${'$'}{values[i]}"
      # While they are only listed (63), the description helps; and several known by their names are only listed.
      if ((${'$'}{#values[@]} > 1)); then
        if [[ ${'$'}{COMP_TYPE:-9} == 63 ]]; then quoted+="  ${'$'}{descriptions[i]}"
        elif [[ ${'$'}{values[i]} != "$cur"* ]]; then continue
        fi
      fi
      COMPREPLY+=("$prefix$quoted")
    done
  fi

  # Bash replaces only what follows the last = or : of the word.
  if [[ $whole == *[=:]* && $COMP_WORDBREAKS == *:* ]]; then
    local head="${'$'}{whole%"${'$'}{whole##*[=:]}"}"
    printf -v head %q "$head"
    for ((i = 0; i < ${'$'}{#COMPREPLY[@]}; i++)); do COMPREPLY[i]="${'$'}{COMPREPLY[i]#"$head"}"; done
  fi
}

complete -F _bookctl bookctl
`
