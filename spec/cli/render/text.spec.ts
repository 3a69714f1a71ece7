import { expect, test } from 'vitest'
import { cut, displayWidth, padLeft, padRight, visible } from '../../../src/cli/render/text.ts'

test('control characters are spelled out, so that no value moves the cursor', () => {
  expect(visible('a\nb\t\u001b[31mred\u0000')).toBe('a\\nb\\t\\u001b[31mred\\u0000')
})

test('characters that reorder or hide text are spelled out', () => {
  expect(visible('a\u202eb\u200bc\u2028d')).toBe('a\\u202eb\\u200bc\\u2028d')
})

test('letters of any script stay', () => {
  expect(visible('Åse 日本 👩‍💻')).toBe('Åse 日本 👩‍💻')
})

test('the width counts cells of a terminal', () => {
  expect(displayWidth('abc')).toBe(3)
  expect(displayWidth('日本')).toBe(4)
  expect(displayWidth('e\u0301')).toBe(1)
  expect(displayWidth('👩‍💻')).toBe(2)
})

test('a text is cut at its end, never inside a character', () => {
  expect(cut('abcdef', 6)).toBe('abcdef')
  expect(cut('abcdef', 5)).toBe('abcd…')
  expect(cut('日本語', 5)).toBe('日本…')
  expect(cut('日本語', 4)).toBe('日…')
})

test('padding counts cells', () => {
  expect(padRight('日', 4)).toBe('日  ')
  expect(padLeft('日', 4)).toBe('  日')
  expect(padRight('abc', 2)).toBe('abc')
})
