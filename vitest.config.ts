import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'
import {PATIENCE_SECONDS} from './test/support/wait.js'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Most tests wait for a process they started: as many workers as cores would leave some of them idle.
    maxWorkers: availableParallelism() + 1,
    // The files of a worker share what they import, which takes a third of the time; none of them mocks a module.
    isolate: false,
    // These end what hangs, and measure nothing: a test that has a shorter limit of its own is about that time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: {poll: {timeout: PATIENCE_SECONDS * 1000}},
  },
})
