/** The comparison that guards the keys of JSON documents does say what breaks a script, and nothing else. */
import {describe, expect, test} from 'vitest'
import {addShape, compareShapes, readShapes, type Shape, shapesText} from './shapes.js'

function shapeOf(...documents: unknown[]): Map<string, Shape> {
  const shape: Shape = new Map()
  for (const document of documents) addShape(shape, document)
  return new Map([['x', shape]])
}

const WAS = shapeOf({
  items: [
    {id: 'a', price: {total: '1'}},
    {id: 'b', price: null},
  ],
  next: null,
})

describe('compared with what was', () => {
  test.each([
    ['a key is gone', {items: [{price: null}], next: null}, ['x: items[].id is gone']],
    ['a key below is gone', {items: [{id: 'a', price: {}}], next: 1}, ['x: items[].price.total is gone']],
    ['a type changed', {items: [{id: 1, price: null}], next: null}, ['x: items[].id was string, is number']],
    ['nothing', {next: 'a', items: [{price: {total: '2', more: 1}, id: 'z'}], more: true}, []],
    ['an empty list', {items: [], next: null}, []],
  ])('%s', (_, document, told) => {
    expect(compareShapes(WAS, shapeOf(document))).toEqual(told)
  })

  test('a command without a committed list, and one without a document', () => {
    expect(compareShapes(WAS, new Map())).toEqual(['x: no document'])
    expect(compareShapes(new Map(), WAS)).toEqual(['x: not committed'])
  })
})

test('what is read is what was written, in whatever order keys came', () => {
  const turned = shapeOf({
    next: null,
    items: [
      {price: {total: '1'}, id: 'a'},
      {price: null, id: 'b'},
    ],
  })
  expect(shapesText(turned)).toBe(shapesText(WAS))
  expect(shapesText(readShapes(shapesText(WAS)))).toBe(shapesText(WAS))
})

test('what the service sent is not looked into', () => {
  expect(shapesText(shapeOf({raw: {a: 1}}))).toBe('bookctl x\n    raw object\n')
})
