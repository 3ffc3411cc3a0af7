/** Finds reservations for the same trip. Each reservation takes about 20 bytes, besides its reference. */

const HEX_DIGITS_OF_52_BITS = 13
const LEAST_SLOTS = 1024

export class TripIndex {
  /**
   * Hash table with open addressing: the trip in each slot, or 0 for an empty slot. `places` has the position of its
   * reservation in `references`.
   */
  private trips = new Float64Array(LEAST_SLOTS)
  private places = new Int32Array(LEAST_SLOTS)
  private readonly references: string[] = []

  /**
   * Returns the reference of the first reservation for this trip, or `reference` itself if this is the first. `sha256`
   * is the key of the trip in hex. Only its first 52 bits are compared: among 100,000 trips the probability that two
   * agree by chance is one in a million.
   */
  add(sha256: string, reference: string): string {
    const trip = Number.parseInt(sha256.slice(0, HEX_DIGITS_OF_52_BITS), 16) + 1
    const slot = this.slotOf(trip)
    if (this.trips[slot] === trip) return this.references[this.places[slot] ?? 0] ?? reference
    this.trips[slot] = trip
    this.places[slot] = this.references.push(reference) - 1
    if (this.references.length * 2 > this.trips.length) this.grow()
    return reference
  }

  /** Returns the slot of a trip, or the empty slot where the trip belongs. */
  private slotOf(trip: number): number {
    const {length} = this.trips
    let slot = trip % length
    while (this.trips[slot] !== 0 && this.trips[slot] !== trip) slot = (slot + 1) % length
    return slot
  }

  private grow(): void {
    const {trips, places} = this
    this.trips = new Float64Array(trips.length * 2)
    this.places = new Int32Array(trips.length * 2)
    for (const [at, trip] of trips.entries()) {
      if (trip === 0) continue
      const slot = this.slotOf(trip)
      this.trips[slot] = trip
      this.places[slot] = places[at] ?? 0
    }
  }
}
