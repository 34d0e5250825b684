// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod/mini'
import { accountMe, balancesGet, etnPrice, farmList, locksGet, metaOpenapi, nftAssets, nftCollection, nftCollections, nftStats, poolList, presaleGet, presaleList, pricesBatch, tokenCandles, tokenGet, tokenHistory, tokenList, tokenPrice, tradeList } from './schemas.ts'

/** Checks the whole answer of each operation, envelope included. */
export const answerSchemas = {
  'etn.price': /* @__PURE__ */ z.looseObject({ data: etnPrice.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'prices.batch': /* @__PURE__ */ z.looseObject({ data: pricesBatch.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'token.price': /* @__PURE__ */ z.looseObject({ data: tokenPrice.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'token.list': /* @__PURE__ */ z.looseObject({ data: tokenList.data, cursor: /* @__PURE__ */ z.null() }),
  'token.get': /* @__PURE__ */ z.looseObject({ data: tokenGet.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'token.candles': /* @__PURE__ */ z.looseObject({ data: tokenCandles.data, cursor: /* @__PURE__ */ z.null() }),
  'token.history': /* @__PURE__ */ z.looseObject({ data: tokenHistory.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'pool.list': /* @__PURE__ */ z.looseObject({ data: poolList.data, cursor: /* @__PURE__ */ z.null() }),
  'trade.list': /* @__PURE__ */ z.looseObject({ data: tradeList.data, cursor: /* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string()) }),
  'nft.stats': /* @__PURE__ */ z.looseObject({ data: nftStats.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'nft.collections': /* @__PURE__ */ z.looseObject({ data: nftCollections.data, cursor: /* @__PURE__ */ z.null() }),
  'nft.collection': /* @__PURE__ */ z.looseObject({ data: nftCollection.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'nft.assets': /* @__PURE__ */ z.looseObject({ data: nftAssets.data, cursor: /* @__PURE__ */ z.null() }),
  'presale.list': /* @__PURE__ */ z.looseObject({ data: presaleList.data, cursor: /* @__PURE__ */ z.null() }),
  'presale.get': /* @__PURE__ */ z.looseObject({ data: presaleGet.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'balances.get': /* @__PURE__ */ z.looseObject({ data: balancesGet.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'locks.get': /* @__PURE__ */ z.looseObject({ data: locksGet.data, cursor: /* @__PURE__ */ z.null() }),
  'farm.list': /* @__PURE__ */ z.looseObject({ data: farmList.data, cursor: /* @__PURE__ */ z.null() }),
  'account.me': /* @__PURE__ */ z.looseObject({ data: accountMe.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'meta.openapi': /* @__PURE__ */ z.looseObject({ data: metaOpenapi.data, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
}
