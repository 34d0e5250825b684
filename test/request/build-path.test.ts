import { expect, test } from 'vitest'
import { buildPath } from '../../src/request/plan-requests.ts'

const pathFor = (address: string) =>
  buildPath({ operation: 'token.price', values: { chainId: 52014, address }, originalInputs: [] })

test('a value becomes one segment of the path, whatever it holds', () => {
  expect(pathFor('a/../b?c#d')).toBe('prices/52014/a%2F..%2Fb%3Fc%23d')
  for (const address of ['', '.', '..']) expect(() => pathFor(address)).toThrow(TypeError)
})
