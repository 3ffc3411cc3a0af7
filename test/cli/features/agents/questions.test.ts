/** The questions that a client has not answered yet. */
import {expect, test} from 'vitest'
import {OpenQuestions} from '../../../../src/cli/features/agents/questions.js'

test('a person is asked once about a handle, again once it was answered, and after a minute in which the question was lost', () => {
  let now = 0
  const questions = new OpenQuestions(() => now)
  expect(['hdl_1', 'hdl_1', 'hdl_2'].map(handle => questions.open(handle))).toEqual([true, false, true])
  questions.answered('hdl_1')
  expect(questions.open('hdl_1')).toBe(true)
  now = 59_999
  expect(questions.open('hdl_1')).toBe(false)
  now = 60_000
  expect(questions.open('hdl_1')).toBe(true)
  expect(questions.open('hdl_1')).toBe(false)
})
