/** What each group of commands is for. */
export const GROUPS: Readonly<Record<string, string>> = {
  config: 'The settings of this machine: where each value comes from, and changing them.',
  content: 'Constant data of the service: countries, currencies, cities.',
  hotels: 'Search hotels, look at one, and ask what an offer costs now.',
  profiles: 'The profiles of this machine.',
  reservations: 'List, show, change and cancel reservations.',
  sandbox: 'The whole service on this machine, to try and to test against.',
  support: 'What to hand to the other side when something does not work.',
  tours: 'Search tours, and look at one.',
  voucher: 'Vouchers of confirmed reservations.',
  webhooks: 'Subscribe to events, receive them, and check their signatures.',
  'webhooks events': 'The webhook events received and kept on this machine.',
}
