/** `help output`. */
import type {HelpFormatter} from '@oclif/core/help'
import {FORMATS} from '../../terminal/formats.js'
import {list, prose} from './layout.js'

const INTRODUCTION = `
The result goes to stdout; questions, progress, warnings, hints and errors go to stderr. At a terminal the result is a table. In a pipe it is lines separated by tabs, without header, borders, colour or cut text, so that cut, awk and while read work on it.`

const FORMS: Readonly<Record<string, string>> = {
  table: 'columns for people',
  tsv: 'values separated by tabs, no header',
  csv: 'with a header, quoted where needed',
  ndjson: 'one JSON document a line, one line an item',
  json: 'the same as --json',
}

const MORE = `
--json prints exactly one JSON document, for every outcome: the result, {"error": {"code", "message", "hint", …}} for a failure of any kind, wrong flags included. The exit code stays the same. Help is text also with --json. A command that streams (webhooks listen, sandbox start) prints one document a line.

--query takes a JMESPath expression on that document; a text answer is printed bare:

  bookctl hotels search … --sort price --query 'offers[0].offer_id'
  bookctl account --query 'account.available_balance'

--columns chooses and orders the columns of all forms but json; a wrong name lists the right ones, before anything is sent; of api, account and webhooks events show, whose columns are those of the answer, it is an empty column. --quiet prints identifiers only, one a line:

  bookctl webhooks list --quiet

What the service says is never trusted: control characters are taken out of text and escaped in JSON. "raw" in a result is what the service sent, untouched. Keys in JSON are not renamed or removed without notice; more may be added.

A reader that goes away (| head -1) ends the command with 0 and nothing on stderr.`

export function outputText(help: HelpFormatter): string {
  const forms = `Forms for --format:\n${list(
    help,
    FORMATS.map(form => [form, FORMS[form] ?? '']),
  )}`
  return [prose(help, INTRODUCTION), forms, prose(help, MORE)].join('\n\n')
}
