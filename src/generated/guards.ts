// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import { every, type Guard, isArray, isBoolean, isInteger, isNull, isNumber, isObject, isString, isUnixSeconds, values } from '../operations/type-guards.ts'
import type { OperationId } from './operations.ts'

const isDecimal: Guard = (v) => isString(v) && /^\d+(\.\d+)?([eE][+-]?\d{1,2})?$/.test(v)
const isHexNumber: Guard = (v) => isString(v) && /^0x[0-9a-fA-F]+$/.test(v)
const isWholeNumber: Guard = (v) => isString(v) && /^\d+$/.test(v)
const maybeDecimal: Guard = (v) => v == null || isDecimal(v)
const maybeNumber: Guard = (v) => v == null || isNumber(v)
const maybeUnixSeconds: Guard = (v) => v == null || isUnixSeconds(v)
const maybeString: Guard = (v) => v == null || isString(v)
const maybeStringOrInteger: Guard = (v) => v == null || (isString(v) || isInteger(v))
const maybeInteger: Guard = (v) => v == null || isInteger(v)
const maybeNumberOrString: Guard = (v) => v == null || (isNumber(v) || isString(v))
const maybeIntegerOrString: Guard = (v) => v == null || (isInteger(v) || isString(v))
const maybeStringOrObject: Guard = (v) => v == null || (isString(v) || isObject(v))
const maybeBoolean: Guard = (v) => v == null || isBoolean(v)
export const EtnPrice: Guard = (v) => isObject(v) && maybeDecimal(v.usd)
export const TokenPrice: Guard = (v) => isObject(v) && isString(v.address) && maybeDecimal(v.usd) && maybeDecimal(v.etn)
export const BatchPrice: Guard = (v) => isObject(v) && maybeDecimal(v.usd) && maybeDecimal(v.etn)
export const PriceBatch: Guard = (v) => isObject(v) && every(values(v), BatchPrice)
export const Token: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isNumber(v.totalSupply)
export const TokenDetails: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isNumber(v.totalSupply) && maybeDecimal(v.usd) && maybeDecimal(v.etn)
export const Candle: Guard = (v) => isObject(v) && isUnixSeconds(v.time) && isNumber(v.open) && isNumber(v.high) && isNumber(v.low) && isNumber(v.close) && isNumber(v.volume) && isInteger(v.count)
export const TokenHistory: Guard = (v) => isObject(v) && (v.prices == null || isArray(v.prices) && every(v.prices, PricePoint)) && maybeNumber(v.volume) && maybeNumber(v.high) && maybeNumber(v.low)
export const PricePoint: Guard = (v) => isObject(v) && maybeUnixSeconds(v.timestamp) && maybeNumber(v.value)
export const Pool: Guard = (v) => isObject(v) && isString(v.address) && isInteger(v.chainId) && isInteger(v.version) && PoolToken(v.token0) && PoolToken(v.token1)
export const PoolToken: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isInteger(v.chainId) && isInteger(v.blockAdded) && isString(v.deployer) && isNumber(v.totalSupply)
export const Trade: Guard = (v) => isObject(v) && maybeString(v.hash) && maybeUnixSeconds(v.timestamp) && maybeString(v.pool) && maybeString(v.token0) && maybeString(v.token1) && maybeString(v.amount0) && maybeString(v.amount1) && maybeDecimal(v.usd) && maybeString(v.sender)
export const NftStats: Guard = (v) => isObject(v) && isString(v.updatedAt) && (isArray(v.collections) && every(v.collections, NftCollectionTotals))
export const NftCollectionTotals: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && (isString(v.image) || isNull(v.image)) && (isNumber(v.floorPrice) || isNull(v.floorPrice)) && isInteger(v.uniqueOwners) && isInteger(v.listingCount)
export const NftCollection: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isNumber(v.totalSupply)
export const NftCollectionDetails: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isNumber(v.totalSupply) && NftCollectionStats(v.stats)
export const NftCollectionStats: Guard = (v) => isObject(v) && (isNumber(v.floorPrice) || isNull(v.floorPrice)) && isInteger(v.uniqueOwners) && isInteger(v.listingCount) && maybeNumber(v.volume)
export const NftAsset: Guard = (v) => isObject(v) && maybeString(v.tokenId) && maybeString(v.name) && maybeString(v.description) && maybeString(v.image) && maybeString(v.ownerAddress) && maybeNumber(v.lastPrice) && (v.traits == null || isArray(v.traits) && every(v.traits, NftTrait))
export const NftTrait: Guard = (v) => isObject(v) && maybeString(v.name) && maybeString(v.value) && maybeNumber(v.rarity)
export const Presale: Guard = (v) => isObject(v) && maybeStringOrInteger(v.id) && isString(v.pool) && isString(v.status) && PresaleToken(v.token) && (v.campaign == null || PresaleCampaign(v.campaign))
export const PresaleToken: Guard = (v) => isObject(v) && maybeString(v.name) && maybeString(v.symbol) && maybeInteger(v.decimals) && maybeNumberOrString(v.totalSupply) && maybeString(v.address) && maybeString(v.liquidityPool)
export const PresaleCampaign: Guard = (v) => isObject(v) && maybeString(v.creator) && maybeString(v.description) && maybeString(v.website) && maybeIntegerOrString(v.starts) && maybeIntegerOrString(v.ends) && maybeNumberOrString(v.etnRaised) && maybeNumberOrString(v.minEtnToLaunch) && maybeNumberOrString(v.minEtnToList) && maybeInteger(v.contributorCount) && maybeNumberOrString(v.maxBuy)
export const BalanceDocument: Guard = (v) => isObject(v) && isString(v.address) && isInteger(v.updated) && (isObject(v.balances) && every(values(v.balances), TokenBalance))
export const TokenBalance: Guard = (v) => isObject(v) && isHexNumber(v.balance) && isInteger(v.blockUpdated)
export const LiquidityLock: Guard = (v) => isObject(v) && (isString(v.lockId) || isInteger(v.lockId)) && isString(v.pair) && isString(v.owner) && isInteger(v.created) && isInteger(v.duration) && isString(v.token0) && isString(v.token1) && isWholeNumber(v.amountToken0) && isWholeNumber(v.amountToken1) && isNumber(v.percentSupply) && isBoolean(v.active) && isString(v.version)
export const Farm: Guard = (v) => isObject(v) && maybeStringOrInteger(v.id) && maybeStringOrInteger(v.version) && maybeString(v.name) && maybeString(v.poolAddr) && maybeNumberOrString(v.liquidity) && maybeNumberOrString(v.allocation) && maybeInteger(v.farmerCount) && maybeStringOrObject(v.token0) && maybeStringOrObject(v.token1) && maybeNumber(v.fee) && maybeBoolean(v.active) && maybeNumberOrString(v.tvl) && maybeNumber(v.baseRewardApy) && maybeNumber(v.thirdPartyRewardApy) && (v.thirdPartyReward == null || ThirdPartyReward(v.thirdPartyReward))
export const ThirdPartyReward: Guard = (v) => isObject(v) && maybeString(v.token) && maybeString(v.symbol) && maybeNumberOrString(v.tokensPerBlock) && maybeInteger(v.endBlock)
export const Account: Guard = (v) => isObject(v) && maybeNumber(v.credits) && maybeString(v.tier)
export const OpenApiDocument: Guard = (v) => isObject(v) && isString(v.openapi)

/** Whether the whole answer of each operation, envelope included, matches the contract. */
export const answerGuards: Record<OperationId, Guard> = {
  'etn.price': (v) => isObject(v) && EtnPrice(v.data) && v.cursor == null,
  'prices.batch': (v) => isObject(v) && PriceBatch(v.data) && v.cursor == null,
  'token.price': (v) => isObject(v) && TokenPrice(v.data) && v.cursor == null,
  'token.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Token)) && isNull(v.cursor),
  'token.get': (v) => isObject(v) && TokenDetails(v.data) && v.cursor == null,
  'token.candles': (v) => isObject(v) && (isArray(v.data) && every(v.data, Candle)) && isNull(v.cursor),
  'token.history': (v) => isObject(v) && TokenHistory(v.data) && v.cursor == null,
  'pool.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Pool)) && isNull(v.cursor),
  'trade.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Trade)) && (isString(v.cursor) || isNull(v.cursor)),
  'nft.stats': (v) => isObject(v) && NftStats(v.data) && v.cursor == null,
  'nft.collections': (v) => isObject(v) && (isArray(v.data) && every(v.data, NftCollection)) && isNull(v.cursor),
  'nft.collection': (v) => isObject(v) && NftCollectionDetails(v.data) && v.cursor == null,
  'nft.assets': (v) => isObject(v) && (isArray(v.data) && every(v.data, NftAsset)) && isNull(v.cursor),
  'presale.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Presale)) && isNull(v.cursor),
  'presale.get': (v) => isObject(v) && Presale(v.data) && v.cursor == null,
  'balances.get': (v) => isObject(v) && BalanceDocument(v.data) && v.cursor == null,
  'locks.get': (v) => isObject(v) && (isArray(v.data) && every(v.data, LiquidityLock)) && isNull(v.cursor),
  'farm.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Farm)) && isNull(v.cursor),
  'account.me': (v) => isObject(v) && Account(v.data) && v.cursor == null,
  'meta.openapi': (v) => isObject(v) && OpenApiDocument(v.data) && v.cursor == null,
}
