import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'
import {PATIENCE_SECONDS} from './test/support/wait.js'

/**
 * The files that must not be the last ones come first. The sample of the proof takes longest, and its files are small. Large inputs
 * take longer the more other files have left in the heap of their worker: twice as long with 300 MB.
 */
class EarlyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isEarly = ({moduleId}: TestSpecification) => /\/test\/proof\/|\.large\.test\.ts$/.test(moduleId)
    return [...sorted.filter(isEarly), ...sorted.filter(file => !isEarly(file))]
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/build.ts'],
    // Most tests wait for a process they started: as many workers as cores would leave some of them idle.
    maxWorkers: availableParallelism() + 1,
    // The files of a worker share what they import, which takes a third of the time; none of them mocks a module.
    isolate: false,
    sequence: {sequencer: EarlyFirst},
    // These end what hangs, and measure nothing: a test that has a shorter limit of its own is about that time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: {poll: {timeout: PATIENCE_SECONDS * 1000}},
  },
})
