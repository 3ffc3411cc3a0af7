/** The Turkish identity number, identity.type `TC` (§2.4; the checksum rule is not in the interface). */

/**
 * Whether `number` is eleven digits with a right checksum:
 * d1 ≠ 0, d10 = ((d1+d3+d5+d7+d9)·7 − (d2+d4+d6+d8)) mod 10, d11 = (d1+…+d10) mod 10.
 */
export function isTcNumber(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number)) return false
  const d = [...number].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const tenth = (d[0] + d[2] + d[4] + d[6] + d[8]) * 7 - (d[1] + d[3] + d[5] + d[7])
  const sumOfTen = d.slice(0, 10).reduce((sum, digit) => sum + digit, 0)
  // The bracket can be negative and JavaScript's % keeps the sign: 19090909018 is valid.
  return ((tenth % 10) + 10) % 10 === d[9] && sumOfTen % 10 === d[10]
}
