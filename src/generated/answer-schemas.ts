// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod/mini'
import { Account, BalanceDocument, Candle, EtnPrice, Farm, LiquidityLock, NftAsset, NftCollection, NftCollectionDetails, NftStats, OpenApiDocument, Pool, Presale, PriceBatch, Token, TokenDetails, TokenHistory, TokenPrice, Trade } from './data-schemas.ts'

/** Checks the whole answer of each operation, envelope included. */
export const answerSchemas = {
  'etn.price': /* @__PURE__ */ z.looseObject({ data: EtnPrice, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'prices.batch': /* @__PURE__ */ z.looseObject({ data: PriceBatch, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'token.price': /* @__PURE__ */ z.looseObject({ data: TokenPrice, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'token.list': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(Token), cursor: /* @__PURE__ */ z.null() }),
  'token.get': /* @__PURE__ */ z.looseObject({ data: TokenDetails, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'token.candles': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(Candle), cursor: /* @__PURE__ */ z.null() }),
  'token.history': /* @__PURE__ */ z.looseObject({ data: TokenHistory, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'pool.list': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(Pool), cursor: /* @__PURE__ */ z.null() }),
  'trade.list': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(Trade), cursor: /* @__PURE__ */ z.nullable(/* @__PURE__ */ z.string()) }),
  'nft.stats': /* @__PURE__ */ z.looseObject({ data: NftStats, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'nft.collections': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(NftCollection), cursor: /* @__PURE__ */ z.null() }),
  'nft.collection': /* @__PURE__ */ z.looseObject({ data: NftCollectionDetails, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'nft.assets': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(NftAsset), cursor: /* @__PURE__ */ z.null() }),
  'presale.list': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(Presale), cursor: /* @__PURE__ */ z.null() }),
  'presale.get': /* @__PURE__ */ z.looseObject({ data: Presale, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'balances.get': /* @__PURE__ */ z.looseObject({ data: BalanceDocument, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'locks.get': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(LiquidityLock), cursor: /* @__PURE__ */ z.null() }),
  'farm.list': /* @__PURE__ */ z.looseObject({ data: /* @__PURE__ */ z.array(Farm), cursor: /* @__PURE__ */ z.null() }),
  'account.me': /* @__PURE__ */ z.looseObject({ data: Account, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
  'meta.openapi': /* @__PURE__ */ z.looseObject({ data: OpenApiDocument, cursor: /* @__PURE__ */ z.optional(/* @__PURE__ */ z.null()) }),
}
