/** Whatever the tests draw at random follows from one seed, so that the same mutants are killed every time. */
import process from 'node:process'
import fc from 'fast-check'

fc.configureGlobal({seed: Number(process.env.MUTATION_SEED)})
