/** The completion script for PowerShell 5 and newer. What is asked on TAB is put between single quotes: it is data. */

import type {Candidate} from '../candidates.js'
import type {CompletionModel, Place, Values} from './model.js'
import {powershellQuote as quote} from './quote.js'

/** The script for the user's profile. */
export function powershellScript(model: CompletionModel): string {
  const {everywhere, places} = model
  return `# Completion of bookctl for PowerShell; made by: bookctl autocomplete powershell
# Reading this file starts no process; bookctl is asked on TAB for what it remembers, and for nothing else.

$script:BookctlPlaces = @{
${[{...everywhere, path: '*', words: []}, ...places].map(placeEntry).join('\n')}
}

${ENGINE}`
}

function placeEntry({path, words, flags, valued, values}: Place): string {
  const entries = [...values].map(([name, value]) => `      ${quote(name)} = ${valueEntry(value)}`)
  return `  ${quote(path)} = @{
    Words = ${pairs(words)}
    Flags = ${pairs(flags)}
    Valued = @(${valued.map(quote).join(', ')})
    Values = @{
${entries.join('\n')}
    }
  }`
}

function pairs(candidates: readonly Candidate[]): string {
  return `@(${candidates.map(({value, description}) => quote(`${value} ${description}`)).join(', ')})`
}

function valueEntry(values: Values): string {
  if (values.kind === 'asked') return `@{ Asked = ${quote(values.source)} }`
  if (values.kind === 'files') return '@{ Files = $true }'
  return `@{ Given = ${pairs(values.candidates)}${values.isList ? '; List = $true' : ''} }`
}

const ENGINE = String.raw`Register-ArgumentCompleter -Native -CommandName bookctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $places = $script:BookctlPlaces
  $typed = @($commandAst.CommandElements |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
    Select-Object -Skip 1 |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $cur = $wordToComplete.Trim("'", '"')
  $path = ''
  $pending = ''
  $dashes = $false
  $position = 0
  $place = $places['']
  foreach ($word in $typed) {
    if ($pending -ne '') { $pending = '' }
    elseif ($dashes) { $position++ }
    elseif ($word -ceq '--') { $dashes = $true }
    elseif ($word -like '-*=*') { }
    elseif ($word -like '-*') {
      if (($place.Valued -ccontains $word) -or ($places['*'].Valued -ccontains $word)) { $pending = $word }
    }
    elseif ($position -eq 0 -and $places.ContainsKey(($path + ' ' + $word).Trim())) {
      $path = ($path + ' ' + $word).Trim()
      $place = $places[$path]
    }
    else { $position++ }
  }

  $find = {
    param($name)
    foreach ($values in @($place.Values, $places['*'].Values)) {
      foreach ($key in @($name, ($name -replace '^#.*', '#*'))) {
        if ($values.ContainsKey($key)) { return $values[$key] }
      }
    }
  }
  # Ours are a word, a blank and its description; what bookctl answers has a tab there.
  $read = { param($entries) @($entries) -replace '^(\S+) ?', ('$1' + [char]9) }
  $prefix = ''
  $lines = @()
  $values = $null
  if ($pending -ne '') { $values = & $find $pending }
  elseif (-not $dashes -and $cur -like '--*=*') {
    $flag, $cur = $cur -split '=', 2
    $prefix = $flag + '='
    $values = & $find $flag
  }
  elseif (-not $dashes -and $cur -like '-*') { $lines = & $read (@($place.Flags) + @($places['*'].Flags)) }
  else {
    $values = & $find ('#' + $position)
    if ($position -eq 0) { $lines = & $read $place.Words }
  }
  if ($values) {
    if ($values.Given) { $lines = @($lines) + @(& $read $values.Given) }
    if ($values.Asked) {
      $program = Get-Command bookctl -CommandType Application, ExternalScript -ErrorAction SilentlyContinue | Select-Object -First 1
      if ($program) { $lines += @(& $program __complete $values.Asked $cur 2>$null) }
    }
    if ($values.List -and $cur.Contains(',')) {
      $prefix += $cur.Substring(0, $cur.LastIndexOf(',') + 1)
      $cur = $cur.Substring($cur.LastIndexOf(',') + 1)
    }
    # PowerShell completes files by itself when there is nothing else.
    if ($values.Files) { return }
  }
  $asked = $values -and $values.Asked
  foreach ($line in $lines) {
    $value, $description = ([string]$line) -split [char]9, 2
    if ($value -eq '' -or -not ($asked -or $value.StartsWith($cur, [StringComparison]::Ordinal))) { continue }
    $text = $prefix + $value
    if ($text -cnotmatch '^[A-Za-z0-9_./:=-]+$') {
      $text = "'" + ($text -replace "['\u2018\u2019\u201a\u201b]", '$0$0') + "'"
    }
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
}
`
