/**
 * The completion scripts of the shells. On TAB they run `bookctl __complete`, whose output they quote and never
 * evaluate.
 */
import {type Result, single} from '../terminal/result.js'

const head = (shell: string) => `# Completion of bookctl for ${shell}; made by: bookctl autocomplete ${shell}
# Reading this file starts no program; bookctl is asked on TAB.
`

// Bash also splits words at = and :, so the script passes the whole line, and `answer` quotes the replies. Bash
// completes files itself; bash 3 has no option for that, so the script lists them.
const BASH = `${head('bash')}
_bookctl() {
  local reply=''
  COMPREPLY=()
  while IFS= read -r reply; do
    if [[ $reply == :files ]]; then
      compopt -o default 2>/dev/null && return
      while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$2")
      return
    fi
    COMPREPLY+=("$reply")
  done < <(
    command bookctl __complete bash "\${COMP_LINE:0:COMP_POINT}" "\${COMP_TYPE:-9}" "$COMP_WORDBREAKS" 2>/dev/null </dev/null
  )
}

complete -F _bookctl bookctl
`

// compadd quotes what it inserts. With -U it replaces the typed text, for a value that does not start with it.
const ZSH = `#compdef bookctl
${head('zsh')}
_bookctl() {
  emulate -L zsh
  local -a typed values shown beginning
  local line value description
  typed=("\${(@Q)words[2,CURRENT-1]}" ":\${(Q)PREFIX}")
  for line in "\${(@f)$(command bookctl __complete zsh "\${typed[@]}" 2>/dev/null </dev/null)}"; do
    if [[ $line == :files ]]; then
      compset -P 1 '*='
      _files
      return
    fi
    value="\${line%%$'\\t'*}" description="\${line#*$'\\t'}"
    if [[ -z $value ]]; then continue; fi
    values+=("$value")
    shown+=("$value\${description:+  -- $description}")
  done
  if ((! $#values)); then return 1; fi
  beginning=(\${(M)values:#\${(b)\${(Q)PREFIX}}*})
  if (($#beginning)); then compadd -l -d shown -a values
  else compadd -U -l -d shown -a values
  fi
}

if [[ "\${funcstack[1]}" == _bookctl ]]; then _bookctl "$@"
else compdef _bookctl bookctl
fi
`

// Fish quotes what it inserts. If the condition `__bookctl_ask` fails, it completes files itself.
const FISH = `${head('fish')}
function __bookctl_ask
    set -l typed (commandline -opc)
    set -l word (commandline -ct)
    # A quote may be open.
    set word (string unescape -- $word; or string unescape -- $word\\'; or string unescape -- $word\\")
    set -g __bookctl_words (command bookctl __complete fish $typed[2..-1] ":$word" 2>/dev/null </dev/null)
    test "$__bookctl_words" != :files
end

complete --command bookctl --erase
complete --command bookctl --condition __bookctl_ask --no-files --arguments '$__bookctl_words'
`

// PowerShell treats typographic quotes as quotes. If the script returns nothing, it completes files itself.
const POWERSHELL = `${head('powershell')}
Register-ArgumentCompleter -Native -CommandName bookctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
    Select-Object -Skip 1 |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $cur = ':' + $wordToComplete.Trim("'", '"')
  $program = Get-Command bookctl -CommandType Application, ExternalScript -ErrorAction SilentlyContinue | Select-Object -First 1
  if (-not $program) { return }
  foreach ($line in @(& $program __complete powershell @typed $cur 2>$null)) {
    $value, $description = ([string]$line) -split [char]9, 2
    if ($value -eq '' -or $value -ceq ':files') { continue }
    $text = $value
    if ($text -cnotmatch '^[A-Za-z0-9_./:=-]+$') {
      $text = "'" + ($text -replace "['\\u2018\\u2019\\u201a\\u201b]", '$0$0') + "'"
    }
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
}
`

const SCRIPTS: Readonly<Record<string, string>> = {bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL}

/** How to install each script. */
const INSTALLATION: typeof SCRIPTS = {
  bash: `
  mkdir -p ~/.local/share/bash-completion/completions
  bookctl autocomplete bash > ~/.local/share/bash-completion/completions/bookctl
  # without the bash-completion package, also add to ~/.bashrc:
  source ~/.local/share/bash-completion/completions/bookctl`,
  zsh: `
  mkdir -p ~/.zfunc
  bookctl autocomplete zsh > ~/.zfunc/_bookctl
  # and in ~/.zshrc, once:
  fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit`,
  fish: `
  mkdir -p ~/.config/fish/completions
  bookctl autocomplete fish > ~/.config/fish/completions/bookctl.fish`,
  powershell: `
  bookctl autocomplete powershell > "$HOME/bookctl-completion.ps1"
  # and in the file that $PROFILE names, once:
  . "$HOME/bookctl-completion.ps1"`,
}

export const SHELL_NAMES = Object.keys(SCRIPTS)

/**
 * Returns the script for `shell`. Without `shell`, returns instructions for the shell at `shellPath`, or for all shells
 * if that one is unknown.
 */
export function completionResult(shell: string | undefined, shellPath = ''): Result {
  const program = /([^/\\]*?)(?:\.exe)?$/.exec(shellPath)?.[1] ?? ''
  const inUse = shell ?? (program === 'pwsh' ? 'powershell' : program)
  const known = Object.hasOwn(SCRIPTS, inUse) ? inUse : undefined
  const names = known === undefined ? SHELL_NAMES : [known]
  const parts = names.map(name => `Completion for ${name}:\n${INSTALLATION[name]}\n`)
  const install = `${parts.join('\n')}\nThen open a new shell.\n`
  const script = SCRIPTS[shell ?? ''] ?? null
  const document = {shell: known ?? null, script, install}
  return {...single(document, document, document.shell), text: script ?? install}
}
