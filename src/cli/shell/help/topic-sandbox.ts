/** `help sandbox`: what stands beside the commands of the group. */
import type {HelpFormatter} from '@oclif/core/help'
import {prose} from './layout.js'

const TEXT = `
The local sandbox is the whole service on this machine: the same requests, answers, states, signed events and refusals, with cities, hotels and prices made up but always the same. Nothing costs anything, and nothing leaves the machine. It runs until Ctrl-C and keeps its data in the configuration directory (--db :memory: keeps none).

  bookctl sandbox start                    # in one terminal
  eval "$(bookctl sandbox env)"            # in another
  bookctl hotels search --city 101 --check-in 2030-06-01 --nights 3 --nationality TR --currency EUR

Time can be moved: offers expire after 15 minutes, tokens after two hours, and events are sent again for hours.

  bookctl sandbox clock --advance 16m

A reservation paid on the payment page is paid, or declined, without a browser:

  bookctl sandbox pay "$RESERVATION"
  bookctl sandbox pay "$RESERVATION" --decline

To see how your program takes a bad day, end the client reference of a reservation in -sold_out, -price_changed, -unknown_success or -unknown_soldout. The client cid_sandbox_poor has almost no money, and cid_sandbox_readonly may not change anything.

To see how it takes a long answer, let each search find as many offers as you like; every one of them can be priced and reserved:

  bookctl sandbox start --offers 10000

\`sandbox deliveries\` shows every attempt to deliver an event. \`sandbox openapi\` prints the description of the service for tools that read OpenAPI.`

export function sandboxText(help: HelpFormatter): string {
  return prose(help, TEXT)
}
