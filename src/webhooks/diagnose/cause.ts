/** What the search puts together: a cause, and the forms of body, secret and header that a cause leads to. */

export interface Cause {
  /** As in `Finding`. */
  readonly code: string
  /** One sentence: what is different from what was signed. */
  readonly what: string
  /** One line; when absent it is found by the code and the framework. */
  readonly fix?: string
}

/** A body that may be the one that was signed, and what must have happened to it since. */
export interface BodyForm {
  readonly bytes: Uint8Array
  readonly causes: readonly Cause[]
}

/** A key that may have signed. */
export interface KeyForm {
  readonly key: Uint8Array
  readonly causes: readonly Cause[]
}

/** What the header claims: a digest, and the timestamp as the text it may have been signed as. */
export interface Claim {
  /** Undefined when the header has none. */
  readonly timestamp: string | undefined
  /** Lowercase hex. */
  readonly digest: string
  readonly causes: readonly Cause[]
}

/** Several causes of one code become one, so that a finding comes once. */
export function mergeCauses(causes: readonly Cause[]): Cause[] {
  const merged = new Map<string, Cause>()
  for (const cause of causes) {
    const before = merged.get(cause.code)
    merged.set(cause.code, before ? {...before, what: `${before.what} ${cause.what}`} : cause)
  }
  return [...merged.values()]
}
