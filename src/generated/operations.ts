// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import type { Operation } from '../operation.ts'

/** Every operation of the contract: its path, parameters and cost in credits. */
export const operations = {
  'etn.price': {"path":"/prices/etn","summary":"Spot price of ETN in USD.","credits":{"base":25},"params":[]},
  'prices.batch': {"path":"/prices/{chainId}","summary":"Prices of many tokens, keyed by address; a token without a price is absent.","credits":{"base":100,"perItem":10,"items":"query.addresses","maxItems":50},"params":[{"name":"addresses","query":true,"required":true,"kind":"addresses"}]},
  'token.price': {"path":"/prices/{chainId}/{address}","summary":"Price of one token in USD and in ETN.","credits":{"base":50},"params":[{"name":"address","required":true,"kind":"address"}]},
  'token.list': {"path":"/tokens/{chainId}","summary":"Listed tokens, in no particular order.","credits":{"base":100,"perItem":5,"items":"data","maxItems":100},"params":[{"name":"limit","query":true,"kind":"limit","max":100}]},
  'token.get': {"path":"/tokens/{chainId}/{address}","summary":"One token with its supply and last price.","credits":{"base":100},"params":[{"name":"address","required":true,"kind":"address"}]},
  'token.candles': {"path":"/tokens/{chainId}/{address}/candles","summary":"OHLCV candles of a token; periods without a trade may be left out.","credits":{"base":100,"perItem":1,"items":"data","maxItems":500},"params":[{"name":"address","required":true,"kind":"address"},{"name":"limit","query":true,"kind":"limit","max":500},{"name":"bucket","query":true,"kind":"choice","values":["1m","15m","1h","4h","1d"]},{"name":"currency","query":true,"kind":"choice","values":["USD","ETN"]}]},
  'token.history': {"path":"/tokens/{chainId}/{address}/history","summary":"Price history of a token over a window, with its volume, high and low.","credits":{"base":200},"params":[{"name":"address","required":true,"kind":"address"},{"name":"duration","query":true,"kind":"choice","values":["HOUR","DAY","WEEK","MONTH","YEAR"],"anyCase":true},{"name":"currency","query":true,"kind":"choice","values":["USD","ETN"]}]},
  'pool.list': {"path":"/pools/{chainId}","summary":"Liquidity pools of one version; there is no combined list.","credits":{"base":200,"perItem":5,"items":"data","maxItems":100},"params":[{"name":"limit","query":true,"kind":"limit","max":100},{"name":"version","query":true,"kind":"choice","values":[2,3]}]},
  'trade.list': {"path":"/trades/{chainId}","summary":"The newest swaps, newest first; never more than 25, and no way to page further back.","credits":{"base":250,"perItem":10,"items":"data","maxItems":25},"params":[{"name":"limit","query":true,"kind":"limit","max":25},{"name":"token","query":true,"kind":"address"}]},
  'nft.stats': {"path":"/nft/stats","summary":"Totals of the NFT marketplace.","credits":{"base":25},"params":[]},
  'nft.collections': {"path":"/nft/collections/{chainId}","summary":"Listed NFT collections, identity only.","credits":{"base":300,"perItem":10,"items":"data","maxItems":50},"params":[{"name":"limit","query":true,"kind":"limit","max":50}]},
  'nft.collection': {"path":"/nft/collections/{chainId}/{address}","summary":"One NFT collection with its floor, owners and volume.","credits":{"base":500},"params":[{"name":"address","required":true,"kind":"address"}]},
  'nft.assets': {"path":"/nft/collections/{chainId}/{address}/assets","summary":"Assets inside an NFT collection.","credits":{"base":400,"perItem":20,"items":"data","maxItems":50},"params":[{"name":"address","required":true,"kind":"address"},{"name":"limit","query":true,"kind":"limit","max":50}]},
  'presale.list': {"path":"/presales/{chainId}","summary":"Launchpad campaigns.","credits":{"base":250,"perItem":10,"items":"data","maxItems":50},"params":[{"name":"limit","query":true,"kind":"limit","max":50}]},
  'presale.get': {"path":"/presales/{chainId}/{pool}","summary":"One launchpad campaign, by its pool address.","credits":{"base":200},"params":[{"name":"pool","required":true,"kind":"address"}]},
  'balances.get': {"path":"/balances/{chainId}/{address}","summary":"What an address holds, as last recorded; not refreshed, not priced.","credits":{"base":800,"perItem":10,"items":"data.balances","maxItems":200},"params":[{"name":"address","required":true,"kind":"address"},{"name":"limit","query":true,"kind":"limit","max":200}]},
  'locks.get': {"path":"/tokens/{chainId}/{address}/liquidity-locks","summary":"Locked liquidity of a token and when it unlocks.","credits":{"base":2000},"heavy":true,"params":[{"name":"address","required":true,"kind":"address"}]},
  'farm.list': {"path":"/farms/{chainId}","summary":"Active yield farms and what they pay; there is no filter by account.","credits":{"base":3000},"heavy":true,"params":[]},
  'account.me': {"path":"/me","summary":"Credit balance and tier of the calling key.","credits":null,"params":[]},
  'meta.openapi': {"path":"/openapi.json","summary":"The service's own description of its interface.","credits":null,"keyless":true,"bareField":"openapi","params":[]},
} as const satisfies Record<string, Operation>

/** The only chain. */
export const CHAIN_ID = 52014

/** The name of an operation, `group.action`. */
export type OperationId = keyof typeof operations
