import { expect, test } from 'vitest'
import { withoutPassword } from '../../src/core/secret.ts'

test('a password is told neither as its URL writes it nor as it is meant', () => {
  const url = 'postgres://ann:a%3Ab@host:5432/shop'
  expect(withoutPassword('no a%3Ab for ann, a:b is wrong', url)).toBe(
    'no *** for ann, *** is wrong',
  )
})

test('a URL without a password hides nothing, and one that is broken is no fault', () => {
  expect(withoutPassword('wrong', 'postgres://ann@host/shop')).toBe('wrong')
  expect(withoutPassword('wrong', 'no URL')).toBe('wrong')
  expect(withoutPassword('%zz is wrong', 'postgres://ann:%zz@host/shop')).toBe('*** is wrong')
})
