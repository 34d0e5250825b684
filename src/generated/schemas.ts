// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import * as z from 'zod/mini'

const EtnPrice = z.looseObject({ usd: z.optional(z.nullable(z.string())) })
const TokenPrice = z.looseObject({ address: z.string(), usd: z.optional(z.nullable(z.string())), etn: z.optional(z.nullable(z.string())) })
const BatchPrice = z.looseObject({ usd: z.optional(z.nullable(z.string())), etn: z.optional(z.nullable(z.string())) })
const PriceBatch = z.record(z.string(), BatchPrice)
const Token = z.looseObject({ address: z.string(), name: z.string(), symbol: z.string(), decimals: z.int(), totalSupply: z.number() })
const TokenDetails = z.looseObject({ address: z.string(), name: z.string(), symbol: z.string(), decimals: z.int(), totalSupply: z.number(), usd: z.optional(z.nullable(z.string())), etn: z.optional(z.nullable(z.string())) })
const Candle = z.looseObject({ time: z.int(), open: z.number(), high: z.number(), low: z.number(), close: z.number(), volume: z.number(), count: z.int() })
const PricePoint = z.looseObject({ timestamp: z.optional(z.nullable(z.int())), value: z.optional(z.nullable(z.number())) })
const TokenHistory = z.looseObject({ prices: z.optional(z.nullable(z.array(PricePoint))), volume: z.optional(z.nullable(z.number())), high: z.optional(z.nullable(z.number())), low: z.optional(z.nullable(z.number())) })
const PoolToken = z.looseObject({ address: z.string(), name: z.string(), symbol: z.string(), decimals: z.int(), chainId: z.int(), blockAdded: z.int(), deployer: z.string(), totalSupply: z.number() })
const Pool = z.looseObject({ address: z.string(), chainId: z.int(), version: z.int(), token0: PoolToken, token1: PoolToken })
const Trade = z.looseObject({ hash: z.optional(z.nullable(z.string())), timestamp: z.optional(z.nullable(z.int())), pool: z.optional(z.nullable(z.string())), token0: z.optional(z.nullable(z.string())), token1: z.optional(z.nullable(z.string())), amount0: z.optional(z.nullable(z.string())), amount1: z.optional(z.nullable(z.string())), usd: z.optional(z.nullable(z.string())), sender: z.optional(z.nullable(z.string())) })
const NftCollectionTotals = z.looseObject({ address: z.string(), name: z.string(), symbol: z.string(), image: z.nullable(z.string()), floorPrice: z.nullable(z.number()), uniqueOwners: z.int(), listingCount: z.int() })
const NftStats = z.looseObject({ updatedAt: z.string(), collections: z.array(NftCollectionTotals) })
const NftCollection = z.looseObject({ address: z.string(), name: z.string(), symbol: z.string(), totalSupply: z.number() })
const NftCollectionStats = z.looseObject({ floorPrice: z.nullable(z.number()), uniqueOwners: z.int(), listingCount: z.int(), volume: z.optional(z.nullable(z.number())) })
const NftCollectionDetails = z.looseObject({ address: z.string(), name: z.string(), symbol: z.string(), totalSupply: z.number(), stats: NftCollectionStats })
const NftTrait = z.looseObject({ name: z.optional(z.nullable(z.string())), value: z.optional(z.nullable(z.string())), rarity: z.optional(z.nullable(z.number())) })
const NftAsset = z.looseObject({ tokenId: z.optional(z.nullable(z.string())), name: z.optional(z.nullable(z.string())), description: z.optional(z.nullable(z.string())), image: z.optional(z.nullable(z.string())), ownerAddress: z.optional(z.nullable(z.string())), lastPrice: z.optional(z.nullable(z.number())), traits: z.optional(z.nullable(z.array(NftTrait))) })
const PresaleToken = z.looseObject({ name: z.optional(z.nullable(z.string())), symbol: z.optional(z.nullable(z.string())), decimals: z.optional(z.nullable(z.int())), totalSupply: z.optional(z.nullable(z.union([z.number(), z.string()]))), address: z.optional(z.nullable(z.string())), liquidityPool: z.optional(z.nullable(z.string())) })
const PresaleCampaign = z.looseObject({ creator: z.optional(z.nullable(z.string())), description: z.optional(z.nullable(z.string())), website: z.optional(z.nullable(z.string())), starts: z.optional(z.nullable(z.union([z.int(), z.string()]))), ends: z.optional(z.nullable(z.union([z.int(), z.string()]))), etnRaised: z.optional(z.nullable(z.union([z.number(), z.string()]))), minEtnToLaunch: z.optional(z.nullable(z.union([z.number(), z.string()]))), minEtnToList: z.optional(z.nullable(z.union([z.number(), z.string()]))), contributorCount: z.optional(z.nullable(z.int())), maxBuy: z.optional(z.nullable(z.union([z.number(), z.string()]))) })
const Presale = z.looseObject({ id: z.optional(z.nullable(z.union([z.string(), z.int()]))), pool: z.string(), status: z.string(), token: PresaleToken, campaign: z.optional(z.nullable(PresaleCampaign)) })
const TokenBalance = z.looseObject({ balance: z.string(), blockUpdated: z.int() })
const BalanceDocument = z.looseObject({ address: z.string(), updated: z.int(), balances: z.record(z.string(), TokenBalance) })
const LiquidityLock = z.looseObject({ lockId: z.union([z.string(), z.int()]), pair: z.string(), owner: z.string(), created: z.int(), duration: z.int(), token0: z.string(), token1: z.string(), amountToken0: z.string(), amountToken1: z.string(), percentSupply: z.number(), active: z.boolean(), version: z.string() })
const ThirdPartyReward = z.looseObject({ token: z.optional(z.nullable(z.string())), symbol: z.optional(z.nullable(z.string())), tokensPerBlock: z.optional(z.nullable(z.union([z.number(), z.string()]))), endBlock: z.optional(z.nullable(z.int())) })
const Farm = z.looseObject({ id: z.optional(z.nullable(z.union([z.string(), z.int()]))), version: z.optional(z.nullable(z.union([z.string(), z.int()]))), name: z.optional(z.nullable(z.string())), poolAddr: z.optional(z.nullable(z.string())), liquidity: z.optional(z.nullable(z.union([z.number(), z.string()]))), allocation: z.optional(z.nullable(z.union([z.number(), z.string()]))), farmerCount: z.optional(z.nullable(z.int())), token0: z.optional(z.nullable(z.union([z.string(), z.looseObject({})]))), token1: z.optional(z.nullable(z.union([z.string(), z.looseObject({})]))), fee: z.optional(z.nullable(z.number())), active: z.optional(z.nullable(z.boolean())), tvl: z.optional(z.nullable(z.union([z.number(), z.string()]))), baseRewardApy: z.optional(z.nullable(z.number())), thirdPartyRewardApy: z.optional(z.nullable(z.number())), thirdPartyReward: z.optional(z.nullable(ThirdPartyReward)) })
const Account = z.looseObject({ credits: z.optional(z.nullable(z.number())), tier: z.optional(z.nullable(z.string())) })
const OpenApiDocument = z.looseObject({ openapi: z.string() })
/** Checks the whole answer of each operation, envelope included. */
export const answerSchemas = {
  'etn.price': z.looseObject({ data: EtnPrice, cursor: z.optional(z.null()) }),
  'prices.batch': z.looseObject({ data: PriceBatch, cursor: z.optional(z.null()) }),
  'token.price': z.looseObject({ data: TokenPrice, cursor: z.optional(z.null()) }),
  'token.list': z.looseObject({ data: z.array(Token), cursor: z.null() }),
  'token.get': z.looseObject({ data: TokenDetails, cursor: z.optional(z.null()) }),
  'token.candles': z.looseObject({ data: z.array(Candle), cursor: z.null() }),
  'token.history': z.looseObject({ data: TokenHistory, cursor: z.optional(z.null()) }),
  'pool.list': z.looseObject({ data: z.array(Pool), cursor: z.null() }),
  'trade.list': z.looseObject({ data: z.array(Trade), cursor: z.nullable(z.string()) }),
  'nft.stats': z.looseObject({ data: NftStats, cursor: z.optional(z.null()) }),
  'nft.collections': z.looseObject({ data: z.array(NftCollection), cursor: z.null() }),
  'nft.collection': z.looseObject({ data: NftCollectionDetails, cursor: z.optional(z.null()) }),
  'nft.assets': z.looseObject({ data: z.array(NftAsset), cursor: z.null() }),
  'presale.list': z.looseObject({ data: z.array(Presale), cursor: z.null() }),
  'presale.get': z.looseObject({ data: Presale, cursor: z.optional(z.null()) }),
  'balances.get': z.looseObject({ data: BalanceDocument, cursor: z.optional(z.null()) }),
  'locks.get': z.looseObject({ data: z.array(LiquidityLock), cursor: z.null() }),
  'farm.list': z.looseObject({ data: z.array(Farm), cursor: z.null() }),
  'account.me': z.looseObject({ data: Account, cursor: z.optional(z.null()) }),
  'meta.openapi': z.looseObject({ data: OpenApiDocument, cursor: z.optional(z.null()) }),
}
