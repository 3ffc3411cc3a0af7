/** Cancellation terms and remarks on the voucher: every deadline by the hotel's clock and in UTC. */
import type {Reservation} from '../../contract/reservations.js'
import {instantAsWritten, instantInUtc, money} from '../base/wording.js'
import type {Sheet} from './sheet.js'

export function addTerms(sheet: Sheet, reservation: Reservation, timezone: string | undefined): void {
  sheet.section('Cancellation')
  const rows = termRows(reservation)
  if (rows.length > 0) {
    sheet.table(
      [
        {label: 'When', share: 2},
        {label: timezone ? `Hotel time, ${timezone}` : 'Hotel time', share: 5},
        {label: 'The same in UTC', share: 4},
        {label: 'Fee', share: 5},
      ],
      rows,
    )
  } else {
    sheet.paragraph('The terms were not given.')
  }
  if (reservation.remarks) {
    sheet.section('Remarks')
    sheet.paragraph(reservation.remarks, {after: 6})
  }
}

function termRows({cancellation_policies, price, created_at}: Reservation): string[][] {
  const [first] = cancellation_policies
  if (!first) return []
  // A first step that was in force when it was booked leaves no time in which cancelling is free.
  const isFreeAtFirst = Date.parse(first.from) > Date.parse(created_at)
  const free = isFreeAtFirst ? [['before', ...bothClocks(first.from), 'free of charge']] : []
  const steps = cancellation_policies.map(({from, amount, currency}) => {
    const whole = amount === price.total && currency === price.currency ? ' (the whole price)' : ''
    return ['from', ...bothClocks(from), money(amount, currency) + whole]
  })
  return [...free, ...steps]
}

function bothClocks(timestamp: string): [string, string] {
  return [instantAsWritten(timestamp), instantInUtc(timestamp)]
}
