/** Receivers, forward targets and homes of a test, which end with it. */
import {afterEach} from 'vitest'
import {Home} from './bookctl.js'
import {type ForwardTarget, type ListenProcess, startListening, startTarget} from './listening.js'
import {SECRET} from './webhook-load.js'

/** For the tests of a file: what a test starts with these ends after it. */
export function listenersOfTests() {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })
  return {
    newHome(env: Record<string, string> = {BOOKCTL_WEBHOOK_SECRET: SECRET}): Home {
      const home = new Home(env)
      closing.push(() => home.remove())
      return home
    },
    async listening(...args: Parameters<typeof startListening>): Promise<ListenProcess> {
      const started = await startListening(...args)
      closing.push(() => started.stop('SIGKILL'))
      return started
    },
    async target(...args: Parameters<typeof startTarget>): Promise<ForwardTarget> {
      const started = await startTarget(...args)
      closing.push(() => started.close())
      return started
    },
  }
}
