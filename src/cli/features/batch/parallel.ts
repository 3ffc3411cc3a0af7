/** Calls `work` for `items` in order, at most `parallel` at a time. Rejects if `work` does. */
export async function inParallel<T>(items: readonly T[], parallel: number, work: (item: T) => Promise<void>) {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({length: parallel}, worker))
}
