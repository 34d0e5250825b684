// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import type { Operation } from '../operations/operation.ts'

const table = {
  'etn.price': {"path":"/prices/etn","credits":{"base":25},"params":[]},
  'prices.batch': {"path":"/prices/{chainId}","credits":{"base":100,"perItem":10,"items":"query.addresses","maxItems":50},"params":[{"name":"addresses","query":true,"required":true,"kind":"addresses"}]},
  'token.price': {"path":"/prices/{chainId}/{address}","credits":{"base":50},"params":[{"name":"address","required":true,"kind":"address"}]},
  'token.list': {"path":"/tokens/{chainId}","credits":{"base":100,"perItem":5,"items":"data","maxItems":100},"params":[{"name":"limit","query":true,"kind":"limit","max":100}]},
  'token.get': {"path":"/tokens/{chainId}/{address}","credits":{"base":100},"params":[{"name":"address","required":true,"kind":"address"}]},
  'token.candles': {"path":"/tokens/{chainId}/{address}/candles","credits":{"base":100,"perItem":1,"items":"data","maxItems":500},"params":[{"name":"address","required":true,"kind":"address"},{"name":"limit","query":true,"kind":"limit","max":500},{"name":"bucket","query":true,"kind":"choice","values":["1m","15m","1h","4h","1d"],"default":"1h"},{"name":"currency","query":true,"kind":"choice","values":["USD","ETN"],"default":"USD"}]},
  'token.history': {"path":"/tokens/{chainId}/{address}/history","credits":{"base":200},"params":[{"name":"address","required":true,"kind":"address"},{"name":"duration","query":true,"kind":"choice","values":["HOUR","DAY","WEEK","MONTH","YEAR"],"default":"DAY","anyCase":true},{"name":"currency","query":true,"kind":"choice","values":["USD","ETN"],"default":"USD"}]},
  'pool.list': {"path":"/pools/{chainId}","credits":{"base":200,"perItem":5,"items":"data","maxItems":100},"params":[{"name":"limit","query":true,"kind":"limit","max":100},{"name":"version","query":true,"kind":"choice","values":[2,3],"default":2}]},
  'trade.list': {"path":"/trades/{chainId}","credits":{"base":250,"perItem":10,"items":"data","maxItems":25},"params":[{"name":"limit","query":true,"kind":"limit","max":25},{"name":"token","query":true,"kind":"address"}]},
  'nft.stats': {"path":"/nft/stats","credits":{"base":25},"params":[]},
  'nft.collections': {"path":"/nft/collections/{chainId}","credits":{"base":300,"perItem":10,"items":"data","maxItems":50},"params":[{"name":"limit","query":true,"kind":"limit","max":50}]},
  'nft.collection': {"path":"/nft/collections/{chainId}/{address}","credits":{"base":500},"params":[{"name":"address","required":true,"kind":"address"}]},
  'nft.assets': {"path":"/nft/collections/{chainId}/{address}/assets","credits":{"base":400,"perItem":20,"items":"data","maxItems":50},"params":[{"name":"address","required":true,"kind":"address"},{"name":"limit","query":true,"kind":"limit","max":50}]},
  'presale.list': {"path":"/presales/{chainId}","credits":{"base":250,"perItem":10,"items":"data","maxItems":50},"params":[{"name":"limit","query":true,"kind":"limit","max":50}]},
  'presale.get': {"path":"/presales/{chainId}/{pool}","credits":{"base":200},"params":[{"name":"pool","required":true,"kind":"address"}]},
  'balances.get': {"path":"/balances/{chainId}/{address}","credits":{"base":800,"perItem":10,"items":"data.balances","maxItems":200},"params":[{"name":"address","required":true,"kind":"address"},{"name":"limit","query":true,"kind":"limit","max":200}]},
  'locks.get': {"path":"/tokens/{chainId}/{address}/liquidity-locks","credits":{"base":2000},"heavy":true,"params":[{"name":"address","required":true,"kind":"address"}]},
  'farm.list': {"path":"/farms/{chainId}","credits":{"base":3000},"heavy":true,"params":[]},
  'account.me': {"path":"/me","credits":null,"params":[]},
  'meta.openapi': {"path":"/openapi.json","credits":null,"keyless":true,"bareField":"openapi","params":[]},
} as const satisfies Record<string, Operation>

/** Every operation of the contract: its path, parameters and cost in credits. */
export const operations: typeof table = table

/** The only chain. */
export const CHAIN_ID = 52014

/** The name of an operation, `group.action`. */
export type OperationId = keyof typeof operations
