/** A promise that a test resolves at the moment it chooses. */
export function held(): {readonly promise: Promise<void>; readonly release: () => void} {
  let release = () => {}
  const promise = new Promise<void>(resolve => {
    release = resolve
  })
  return {promise, release}
}
