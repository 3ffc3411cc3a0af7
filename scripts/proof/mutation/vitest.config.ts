/** How Stryker runs the tests of one group of files: those named in the environment, on the seed that stands there. */
import process from 'node:process'
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(' '),
    setupFiles: ['scripts/proof/mutation/setup.ts'],
    testTimeout: 20_000,
  },
})
