import {availableParallelism} from 'node:os'
import {defineConfig} from 'vitest/config'
import {BaseSequencer, type TestSpecification} from 'vitest/node'
import {PATIENCE_SECONDS} from './test/support/wait.js'

/** The sample of the proof takes longest and is in small files, which would otherwise be the last. */
class SampleFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isSample = ({moduleId}: TestSpecification) => moduleId.includes('/test/proof/')
    return [...sorted.filter(isSample), ...sorted.filter(file => !isSample(file))]
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
    sequence: {sequencer: SampleFirst},
    // These end what hangs, and measure nothing: a test that has a shorter limit of its own is about that time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: {poll: {timeout: PATIENCE_SECONDS * 1000}},
  },
})
