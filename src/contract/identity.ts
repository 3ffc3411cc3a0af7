/** The Turkish identity number, identity.type `TC` (§2.4; the checksum rule is not in the interface). */

/**
 * Whether `number` is eleven digits with a right checksum:
 * d1 ≠ 0, d10 = ((d1+d3+d5+d7+d9)·7 − (d2+d4+d6+d8)) mod 10, d11 = (d1+…+d10) mod 10.
 */
export function isTcNumber(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number)) return false
  const digits = [...number].map(Number)
  const sum = (from: number, to: number, step: number) =>
    digits.slice(from, to).reduce((total, digit, index) => total + (index % step === 0 ? digit : 0), 0)
  const tenth = sum(0, 9, 2) * 7 - sum(1, 9, 2)
  // `tenth` can be negative and JavaScript's % keeps the sign: 19090909018 is valid.
  return ((tenth % 10) + 10) % 10 === digits[9] && sum(0, 10, 1) % 10 === digits[10]
}
