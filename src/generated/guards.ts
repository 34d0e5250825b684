// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import { every, type Guard, isArray, isBoolean, isInteger, isNull, isNumber, isObject, isString, isUnixSeconds, maybe, values } from '../operations/type-guards.ts'
import type { OperationId } from './operations.ts'

const isDecimal: Guard = (v) => isString(v) && /^\d+(\.\d+)?([eE][+-]?\d{1,2})?$/.test(v)
const isHexNumber: Guard = (v) => isString(v) && /^0x[0-9a-fA-F]+$/.test(v)
const isWholeNumber: Guard = (v) => isString(v) && /^\d+$/.test(v)
const isStringOrInteger: Guard = (v) => isString(v) || isInteger(v)
const isNumberOrString: Guard = (v) => isNumber(v) || isString(v)
const isIntegerOrString: Guard = (v) => isInteger(v) || isString(v)
const isStringOrObject: Guard = (v) => isString(v) || isObject(v)
export const EtnPrice: Guard = (v) => isObject(v) && maybe(v.usd, isDecimal)
export const TokenPrice: Guard = (v) => isObject(v) && isString(v.address) && maybe(v.usd, isDecimal) && maybe(v.etn, isDecimal)
export const BatchPrice: Guard = (v) => isObject(v) && maybe(v.usd, isDecimal) && maybe(v.etn, isDecimal)
export const PriceBatch: Guard = (v) => isObject(v) && every(values(v), BatchPrice)
export const Token: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isNumber(v.totalSupply)
export const TokenDetails: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isNumber(v.totalSupply) && maybe(v.usd, isDecimal) && maybe(v.etn, isDecimal)
export const Candle: Guard = (v) => isObject(v) && isUnixSeconds(v.time) && isNumber(v.open) && isNumber(v.high) && isNumber(v.low) && isNumber(v.close) && isNumber(v.volume) && isInteger(v.count)
export const TokenHistory: Guard = (v) => isObject(v) && (v.prices == null || isArray(v.prices) && every(v.prices, PricePoint)) && maybe(v.volume, isNumber) && maybe(v.high, isNumber) && maybe(v.low, isNumber)
export const PricePoint: Guard = (v) => isObject(v) && maybe(v.timestamp, isUnixSeconds) && maybe(v.value, isNumber)
export const Pool: Guard = (v) => isObject(v) && isString(v.address) && isInteger(v.chainId) && isInteger(v.version) && PoolToken(v.token0) && PoolToken(v.token1)
export const PoolToken: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isInteger(v.chainId) && isInteger(v.blockAdded) && isString(v.deployer) && isNumber(v.totalSupply)
export const Trade: Guard = (v) => isObject(v) && maybe(v.hash, isString) && maybe(v.timestamp, isUnixSeconds) && maybe(v.pool, isString) && maybe(v.token0, isString) && maybe(v.token1, isString) && maybe(v.amount0, isString) && maybe(v.amount1, isString) && maybe(v.usd, isDecimal) && maybe(v.sender, isString)
export const NftStats: Guard = (v) => isObject(v) && isString(v.updatedAt) && (isArray(v.collections) && every(v.collections, NftCollectionTotals))
export const NftCollectionTotals: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && (isString(v.image) || isNull(v.image)) && (isNumber(v.floorPrice) || isNull(v.floorPrice)) && isInteger(v.uniqueOwners) && isInteger(v.listingCount)
export const NftCollection: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isNumber(v.totalSupply)
export const NftCollectionDetails: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isNumber(v.totalSupply) && NftCollectionStats(v.stats)
export const NftCollectionStats: Guard = (v) => isObject(v) && (isNumber(v.floorPrice) || isNull(v.floorPrice)) && isInteger(v.uniqueOwners) && isInteger(v.listingCount) && maybe(v.volume, isNumber)
export const NftAsset: Guard = (v) => isObject(v) && maybe(v.tokenId, isString) && maybe(v.name, isString) && maybe(v.description, isString) && maybe(v.image, isString) && maybe(v.ownerAddress, isString) && maybe(v.lastPrice, isNumber) && (v.traits == null || isArray(v.traits) && every(v.traits, NftTrait))
export const NftTrait: Guard = (v) => isObject(v) && maybe(v.name, isString) && maybe(v.value, isString) && maybe(v.rarity, isNumber)
export const Presale: Guard = (v) => isObject(v) && maybe(v.id, isStringOrInteger) && isString(v.pool) && isString(v.status) && PresaleToken(v.token) && maybe(v.campaign, PresaleCampaign)
export const PresaleToken: Guard = (v) => isObject(v) && maybe(v.name, isString) && maybe(v.symbol, isString) && maybe(v.decimals, isInteger) && maybe(v.totalSupply, isNumberOrString) && maybe(v.address, isString) && maybe(v.liquidityPool, isString)
export const PresaleCampaign: Guard = (v) => isObject(v) && maybe(v.creator, isString) && maybe(v.description, isString) && maybe(v.website, isString) && maybe(v.starts, isIntegerOrString) && maybe(v.ends, isIntegerOrString) && maybe(v.etnRaised, isNumberOrString) && maybe(v.minEtnToLaunch, isNumberOrString) && maybe(v.minEtnToList, isNumberOrString) && maybe(v.contributorCount, isInteger) && maybe(v.maxBuy, isNumberOrString)
export const BalanceDocument: Guard = (v) => isObject(v) && isString(v.address) && isInteger(v.updated) && (isObject(v.balances) && every(values(v.balances), TokenBalance))
export const TokenBalance: Guard = (v) => isObject(v) && isHexNumber(v.balance) && isInteger(v.blockUpdated)
export const LiquidityLock: Guard = (v) => isObject(v) && isStringOrInteger(v.lockId) && isString(v.pair) && isString(v.owner) && isInteger(v.created) && isInteger(v.duration) && isString(v.token0) && isString(v.token1) && isWholeNumber(v.amountToken0) && isWholeNumber(v.amountToken1) && isNumber(v.percentSupply) && isBoolean(v.active) && isString(v.version)
export const Farm: Guard = (v) => isObject(v) && maybe(v.id, isStringOrInteger) && maybe(v.version, isStringOrInteger) && maybe(v.name, isString) && maybe(v.poolAddr, isString) && maybe(v.liquidity, isNumberOrString) && maybe(v.allocation, isNumberOrString) && maybe(v.farmerCount, isInteger) && maybe(v.token0, isStringOrObject) && maybe(v.token1, isStringOrObject) && maybe(v.fee, isNumber) && maybe(v.active, isBoolean) && maybe(v.tvl, isNumberOrString) && maybe(v.baseRewardApy, isNumber) && maybe(v.thirdPartyRewardApy, isNumber) && maybe(v.thirdPartyReward, ThirdPartyReward)
export const ThirdPartyReward: Guard = (v) => isObject(v) && maybe(v.token, isString) && maybe(v.symbol, isString) && maybe(v.tokensPerBlock, isNumberOrString) && maybe(v.endBlock, isInteger)
export const Account: Guard = (v) => isObject(v) && maybe(v.credits, isNumber) && maybe(v.tier, isString)
export const OpenApiDocument: Guard = (v) => isObject(v) && isString(v.openapi)

/** Whether the whole answer of each operation, envelope included, matches the contract. */
export const answerGuards: Record<OperationId, Guard> = {
  'etn.price': (v) => isObject(v) && EtnPrice(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'prices.batch': (v) => isObject(v) && PriceBatch(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'token.price': (v) => isObject(v) && TokenPrice(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'token.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Token)) && isNull(v.cursor),
  'token.get': (v) => isObject(v) && TokenDetails(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'token.candles': (v) => isObject(v) && (isArray(v.data) && every(v.data, Candle)) && isNull(v.cursor),
  'token.history': (v) => isObject(v) && TokenHistory(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'pool.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Pool)) && isNull(v.cursor),
  'trade.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Trade)) && (isString(v.cursor) || isNull(v.cursor)),
  'nft.stats': (v) => isObject(v) && NftStats(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'nft.collections': (v) => isObject(v) && (isArray(v.data) && every(v.data, NftCollection)) && isNull(v.cursor),
  'nft.collection': (v) => isObject(v) && NftCollectionDetails(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'nft.assets': (v) => isObject(v) && (isArray(v.data) && every(v.data, NftAsset)) && isNull(v.cursor),
  'presale.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Presale)) && isNull(v.cursor),
  'presale.get': (v) => isObject(v) && Presale(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'balances.get': (v) => isObject(v) && BalanceDocument(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'locks.get': (v) => isObject(v) && (isArray(v.data) && every(v.data, LiquidityLock)) && isNull(v.cursor),
  'farm.list': (v) => isObject(v) && (isArray(v.data) && every(v.data, Farm)) && isNull(v.cursor),
  'account.me': (v) => isObject(v) && Account(v.data) && (v.cursor === undefined || isNull(v.cursor)),
  'meta.openapi': (v) => isObject(v) && OpenApiDocument(v.data) && (v.cursor === undefined || isNull(v.cursor)),
}
