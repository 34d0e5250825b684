import { describe, expect, test } from 'vitest'
import { at, generatorError } from './generator-error.ts'

type Node = Record<string, unknown>

const list = ['paths', '/tokens/{chainId}', 'get'] as const
const price = ['paths', '/prices/{chainId}/{address}', 'get'] as const
const batch = ['paths', '/prices/{chainId}', 'get'] as const
const limit = [...list, 'parameters', '1', 'schema'] as const

const tags = (document: Node) => document.tags as { name: string; description: string }[]
const parameters = (document: Node, place: readonly string[]) => at(document, ...place).parameters as unknown[]

/** Each change alone makes the contract contradict itself. */
const CHANGES: [title: string, change: (document: Node) => void, message: string][] = [
  [
    'a group without a tag: its methods would be missing from the client',
    (document) => {
      document.tags = tags(document).filter(({ name }) => name !== 'token')
    },
    'paths./prices/{chainId}/{address}.get: the group "token" has no tag in the document\'s "tags"',
  ],
  [
    'an operation of a new group that has no tag',
    (document) => {
      Object.assign(at(document, ...list), { operationId: 'coin.list', tags: ['coin'] })
    },
    'paths./tokens/{chainId}.get: the group "coin" has no tag in the document\'s "tags"',
  ],
  [
    'a tag that is not the group',
    (document) => {
      at(document, ...list).tags = ['pool']
    },
    'paths./tokens/{chainId}.get.tags: must be [token], the group of the operationId',
  ],
  [
    'a second tag',
    (document) => {
      at(document, ...list).tags = ['token', 'pool']
    },
    'paths./tokens/{chainId}.get.tags: must be [token]',
  ],
  [
    'an operation without tags',
    (document) => {
      delete at(document, ...list).tags
    },
    'paths./tokens/{chainId}.get.tags: must be [token]',
  ],
  [
    'a tag without operations',
    (document) => {
      tags(document).push({ name: 'coin', description: 'Coins' })
    },
    'tags: no operation is in the group "coin"',
  ],
  [
    'an operationId that is used twice',
    (document) => {
      at(document, ...list).operationId = 'token.price'
    },
    'operationId "token.price" is already used by /prices/{chainId}/{address}',
  ],
  [
    'a limit above maxItems: a call could cost more than its estimate',
    (document) => {
      at(document, ...limit).maximum = 200
    },
    'paths./tokens/{chainId}.get: the maximum of "limit" is 200, but x-credits.maxItems is 100',
  ],
  [
    'a limit below maxItems',
    (document) => {
      at(document, ...limit).maximum = 50
    },
    'paths./tokens/{chainId}.get: the maximum of "limit" is 50, but x-credits.maxItems is 100',
  ],
  [
    'a list of addresses longer than maxItems',
    (document) => {
      at(document, ...batch, 'parameters', '1', 'schema').maxItems = 60
    },
    'paths./prices/{chainId}.get: the maximum of "addresses" is 60, but x-credits.maxItems is 50',
  ],
  [
    'a list of addresses without a maximum',
    (document) => {
      delete at(document, ...batch, 'parameters', '1', 'schema').maxItems
    },
    'the generator does not know this form of parameter',
  ],
  [
    'a path parameter that is not declared',
    (document) => {
      parameters(document, price).pop()
    },
    'paths./prices/{chainId}/{address}.get.parameters: the path parameter "address" is not declared',
  ],
  [
    'a path parameter that the path does not have',
    (document) => {
      parameters(document, list).push({ $ref: '#/components/parameters/address' })
    },
    'paths./tokens/{chainId}.get.parameters: the path has no "{address}"',
  ],
  [
    'a path parameter that is optional',
    (document) => {
      delete at(document, 'components', 'parameters', 'address').required
    },
    'the path parameter "address" must be required',
  ],
  [
    'a parameter that is declared twice',
    (document) => {
      parameters(document, list).push({ $ref: '#/components/parameters/chainId' })
    },
    'paths./tokens/{chainId}.get.parameters: "chainId" is declared twice',
  ],
]

describe('the generator rejects', () => {
  test.each(CHANGES)('%s', (_, change, message) => {
    expect(generatorError(change) ?? 'the generator accepted it').toContain(message)
  })
})
