/** Says the same thing at most once a second, and how often it would have been said. */

export interface Occasionally {
  say(text: string): void
  /** Says what was held back. */
  end(): void
}

export function createOccasionally(tell: (text: string) => void, milliseconds = 1000): Occasionally {
  const held = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    for (const [text, times] of held) if (times > 0) tell(times === 1 ? text : `${text} (${times} times)`)
    held.clear()
  }
  return {
    say(text) {
      const times = held.get(text)
      if (times === undefined && held.size < MOST_TEXTS) tell(text)
      held.set(text, (times ?? -1) + 1)
      timer ??= setTimeout(flush, milliseconds).unref()
    },
    end() {
      clearTimeout(timer)
      flush()
    },
  }
}

/** Different texts a second: more of them are made up by whoever sends them. */
const MOST_TEXTS = 20
