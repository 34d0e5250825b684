// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod/mini'
import { address, addresses, chain, choice, choiceInAnyCase, limit, params } from '../operations/param-schemas.ts'
import { Account, BalanceDocument, Candle, EtnPrice, Farm, LiquidityLock, NftAsset, NftCollection, NftCollectionDetails, NftStats, OpenApiDocument, Pool, Presale, PriceBatch, Token, TokenDetails, TokenHistory, TokenPrice, Trade } from './data-schemas.ts'
import type { OperationId } from './operations.ts'
import type { OperationData, OperationParams } from './types.ts'

/** The zod/mini schemas of one operation. */
export interface OperationSchemas<Id extends OperationId> {
  /** The parameters, with the rules that a call checks before it sends anything. Rejects unknown parameters. */
  readonly params: z.ZodMiniType<OperationParams[Id]>
  /** The `data` of the answer. Keeps unknown fields. */
  readonly data: z.ZodMiniType<OperationData[Id]>
}

/** The schemas of `etn.price`: spot price of ETN in USD. */
export const etnPrice: OperationSchemas<'etn.price'> = {
  params: /* @__PURE__ */ params({}),
  data: EtnPrice,
}

/** The schemas of `prices.batch`: prices of many tokens, keyed by address. */
export const pricesBatch: OperationSchemas<'prices.batch'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), addresses: /* @__PURE__ */ addresses() }),
  data: PriceBatch,
}

/** The schemas of `token.price`: price of one token in USD and in ETN. */
export const tokenPrice: OperationSchemas<'token.price'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: TokenPrice,
}

/** The schemas of `token.list`: listed tokens, in no particular order. */
export const tokenList: OperationSchemas<'token.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(100)) }),
  data: /* @__PURE__ */ z.array(Token),
}

/** The schemas of `token.get`: one token with its supply and last price. */
export const tokenGet: OperationSchemas<'token.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: TokenDetails,
}

/** The schemas of `token.candles`: OHLCV candles of a token; periods without a trade may be left out. */
export const tokenCandles: OperationSchemas<'token.candles'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(500)), bucket: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice(["1m","15m","1h","4h","1d"])), currency: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice(["USD","ETN"])) }),
  data: /* @__PURE__ */ z.array(Candle),
}

/** The schemas of `token.history`: price history of a token over a window, with its volume, high and low. */
export const tokenHistory: OperationSchemas<'token.history'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), duration: /* @__PURE__ */ z.optional(/* @__PURE__ */ choiceInAnyCase(["HOUR","DAY","WEEK","MONTH","YEAR"])), currency: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice(["USD","ETN"])) }),
  data: TokenHistory,
}

/** The schemas of `pool.list`: liquidity pools of one version; there is no combined list. */
export const poolList: OperationSchemas<'pool.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(100)), version: /* @__PURE__ */ z.optional(/* @__PURE__ */ choice([2,3])) }),
  data: /* @__PURE__ */ z.array(Pool),
}

/** The schemas of `trade.list`: the newest swaps, newest first; never more than 25, and no way to page further back. */
export const tradeList: OperationSchemas<'trade.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(25)), token: /* @__PURE__ */ z.optional(/* @__PURE__ */ address()) }),
  data: /* @__PURE__ */ z.array(Trade),
}

/** The schemas of `nft.stats`: totals of the NFT marketplace. */
export const nftStats: OperationSchemas<'nft.stats'> = {
  params: /* @__PURE__ */ params({}),
  data: NftStats,
}

/** The schemas of `nft.collections`: listed NFT collections, identity only. */
export const nftCollections: OperationSchemas<'nft.collections'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(50)) }),
  data: /* @__PURE__ */ z.array(NftCollection),
}

/** The schemas of `nft.collection`: one NFT collection with its floor, owners and volume. */
export const nftCollection: OperationSchemas<'nft.collection'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: NftCollectionDetails,
}

/** The schemas of `nft.assets`: assets inside an NFT collection. */
export const nftAssets: OperationSchemas<'nft.assets'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(50)) }),
  data: /* @__PURE__ */ z.array(NftAsset),
}

/** The schemas of `presale.list`: launchpad campaigns. */
export const presaleList: OperationSchemas<'presale.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(50)) }),
  data: /* @__PURE__ */ z.array(Presale),
}

/** The schemas of `presale.get`: one launchpad campaign, by its pool address. */
export const presaleGet: OperationSchemas<'presale.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), pool: /* @__PURE__ */ address() }),
  data: Presale,
}

/** The schemas of `balances.get`: what an address holds, as last recorded; not refreshed, not priced. */
export const balancesGet: OperationSchemas<'balances.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address(), limit: /* @__PURE__ */ z.optional(/* @__PURE__ */ limit(200)) }),
  data: BalanceDocument,
}

/** The schemas of `locks.get`: locked liquidity of a token and when it unlocks. */
export const locksGet: OperationSchemas<'locks.get'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)), address: /* @__PURE__ */ address() }),
  data: /* @__PURE__ */ z.array(LiquidityLock),
}

/** The schemas of `farm.list`: active yield farms and what they pay; there is no filter by account. */
export const farmList: OperationSchemas<'farm.list'> = {
  params: /* @__PURE__ */ params({ chainId: /* @__PURE__ */ z.optional(/* @__PURE__ */ chain(52014)) }),
  data: /* @__PURE__ */ z.array(Farm),
}

/** The schemas of `account.me`: credit balance and tier of the calling key. */
export const accountMe: OperationSchemas<'account.me'> = {
  params: /* @__PURE__ */ params({}),
  data: Account,
}

/** The schemas of `meta.openapi`: the service's own description of its interface. */
export const metaOpenapi: OperationSchemas<'meta.openapi'> = {
  params: /* @__PURE__ */ params({}),
  data: OpenApiDocument,
}

/** The schemas of every operation, by its id. Import one by its own name where the size of a bundle matters. */
export const schemas: { readonly [Id in OperationId]: OperationSchemas<Id> } = {
  'etn.price': etnPrice,
  'prices.batch': pricesBatch,
  'token.price': tokenPrice,
  'token.list': tokenList,
  'token.get': tokenGet,
  'token.candles': tokenCandles,
  'token.history': tokenHistory,
  'pool.list': poolList,
  'trade.list': tradeList,
  'nft.stats': nftStats,
  'nft.collections': nftCollections,
  'nft.collection': nftCollection,
  'nft.assets': nftAssets,
  'presale.list': presaleList,
  'presale.get': presaleGet,
  'balances.get': balancesGet,
  'locks.get': locksGet,
  'farm.list': farmList,
  'account.me': accountMe,
  'meta.openapi': metaOpenapi,
}
