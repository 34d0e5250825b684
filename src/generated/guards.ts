// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import { every, type Guard, isArray, isBoolean, isInteger, isNull, isNumber, isObject, isString, values } from '../guard.ts'
import type { OperationId } from './operations.ts'

const EtnPrice: Guard = (v) => isObject(v) && (v.usd == null || isString(v.usd))
const TokenPrice: Guard = (v) => isObject(v) && isString(v.address) && (v.usd == null || isString(v.usd)) && (v.etn == null || isString(v.etn))
const BatchPrice: Guard = (v) => isObject(v) && (v.usd == null || isString(v.usd)) && (v.etn == null || isString(v.etn))
const PriceBatch: Guard = (v) => isObject(v) && every(values(v), BatchPrice)
const Token: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isNumber(v.totalSupply)
const TokenDetails: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isNumber(v.totalSupply) && (v.usd == null || isString(v.usd)) && (v.etn == null || isString(v.etn))
const Candle: Guard = (v) => isObject(v) && isInteger(v.time) && isNumber(v.open) && isNumber(v.high) && isNumber(v.low) && isNumber(v.close) && isNumber(v.volume) && isInteger(v.count)
const TokenHistory: Guard = (v) => isObject(v) && (v.prices == null || isArray(v.prices) && every(v.prices, PricePoint)) && (v.volume == null || isNumber(v.volume)) && (v.high == null || isNumber(v.high)) && (v.low == null || isNumber(v.low))
const PricePoint: Guard = (v) => isObject(v) && (v.timestamp == null || isInteger(v.timestamp)) && (v.value == null || isNumber(v.value))
const Pool: Guard = (v) => isObject(v) && isString(v.address) && isInteger(v.chainId) && isInteger(v.version) && PoolToken(v.token0) && PoolToken(v.token1)
const PoolToken: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isInteger(v.decimals) && isInteger(v.chainId) && isInteger(v.blockAdded) && isString(v.deployer) && isNumber(v.totalSupply)
const Trade: Guard = (v) => isObject(v) && (v.hash == null || isString(v.hash)) && (v.timestamp == null || isInteger(v.timestamp)) && (v.pool == null || isString(v.pool)) && (v.token0 == null || isString(v.token0)) && (v.token1 == null || isString(v.token1)) && (v.amount0 == null || isString(v.amount0)) && (v.amount1 == null || isString(v.amount1)) && (v.usd == null || isString(v.usd)) && (v.sender == null || isString(v.sender))
const NftStats: Guard = (v) => isObject(v) && isString(v.updatedAt) && (isArray(v.collections) && every(v.collections, NftCollectionTotals))
const NftCollectionTotals: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && (isString(v.image) || isNull(v.image)) && (isNumber(v.floorPrice) || isNull(v.floorPrice)) && isInteger(v.uniqueOwners) && isInteger(v.listingCount)
const NftCollection: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isNumber(v.totalSupply)
const NftCollectionDetails: Guard = (v) => isObject(v) && isString(v.address) && isString(v.name) && isString(v.symbol) && isNumber(v.totalSupply) && NftCollectionStats(v.stats)
const NftCollectionStats: Guard = (v) => isObject(v) && (isNumber(v.floorPrice) || isNull(v.floorPrice)) && isInteger(v.uniqueOwners) && isInteger(v.listingCount) && (v.volume == null || isNumber(v.volume))
const NftAsset: Guard = (v) => isObject(v) && (v.tokenId == null || isString(v.tokenId)) && (v.name == null || isString(v.name)) && (v.description == null || isString(v.description)) && (v.image == null || isString(v.image)) && (v.ownerAddress == null || isString(v.ownerAddress)) && (v.lastPrice == null || isNumber(v.lastPrice)) && (v.traits == null || isArray(v.traits) && every(v.traits, NftTrait))
const NftTrait: Guard = (v) => isObject(v) && (v.name == null || isString(v.name)) && (v.value == null || isString(v.value)) && (v.rarity == null || isNumber(v.rarity))
const Presale: Guard = (v) => isObject(v) && (v.id == null || (isString(v.id) || isInteger(v.id))) && isString(v.pool) && isString(v.status) && PresaleToken(v.token) && (v.campaign == null || PresaleCampaign(v.campaign))
const PresaleToken: Guard = (v) => isObject(v) && (v.name == null || isString(v.name)) && (v.symbol == null || isString(v.symbol)) && (v.decimals == null || isInteger(v.decimals)) && (v.totalSupply == null || (isNumber(v.totalSupply) || isString(v.totalSupply))) && (v.address == null || isString(v.address)) && (v.liquidityPool == null || isString(v.liquidityPool))
const PresaleCampaign: Guard = (v) => isObject(v) && (v.creator == null || isString(v.creator)) && (v.description == null || isString(v.description)) && (v.website == null || isString(v.website)) && (v.starts == null || (isInteger(v.starts) || isString(v.starts))) && (v.ends == null || (isInteger(v.ends) || isString(v.ends))) && (v.etnRaised == null || (isNumber(v.etnRaised) || isString(v.etnRaised))) && (v.minEtnToLaunch == null || (isNumber(v.minEtnToLaunch) || isString(v.minEtnToLaunch))) && (v.minEtnToList == null || (isNumber(v.minEtnToList) || isString(v.minEtnToList))) && (v.contributorCount == null || isInteger(v.contributorCount)) && (v.maxBuy == null || (isNumber(v.maxBuy) || isString(v.maxBuy)))
const BalanceDocument: Guard = (v) => isObject(v) && isString(v.address) && isInteger(v.updated) && (isObject(v.balances) && every(values(v.balances), TokenBalance))
const TokenBalance: Guard = (v) => isObject(v) && isString(v.balance) && isInteger(v.blockUpdated)
const LiquidityLock: Guard = (v) => isObject(v) && (isString(v.lockId) || isInteger(v.lockId)) && isString(v.pair) && isString(v.owner) && isInteger(v.created) && isInteger(v.duration) && isString(v.token0) && isString(v.token1) && isString(v.amountToken0) && isString(v.amountToken1) && isNumber(v.percentSupply) && isBoolean(v.active) && isString(v.version)
const Farm: Guard = (v) => isObject(v) && (v.id == null || (isString(v.id) || isInteger(v.id))) && (v.version == null || (isString(v.version) || isInteger(v.version))) && (v.name == null || isString(v.name)) && (v.poolAddr == null || isString(v.poolAddr)) && (v.liquidity == null || (isNumber(v.liquidity) || isString(v.liquidity))) && (v.allocation == null || (isNumber(v.allocation) || isString(v.allocation))) && (v.farmerCount == null || isInteger(v.farmerCount)) && (v.token0 == null || (isString(v.token0) || isObject(v.token0))) && (v.token1 == null || (isString(v.token1) || isObject(v.token1))) && (v.fee == null || isNumber(v.fee)) && (v.active == null || isBoolean(v.active)) && (v.tvl == null || (isNumber(v.tvl) || isString(v.tvl))) && (v.baseRewardApy == null || isNumber(v.baseRewardApy)) && (v.thirdPartyRewardApy == null || isNumber(v.thirdPartyRewardApy)) && (v.thirdPartyReward == null || ThirdPartyReward(v.thirdPartyReward))
const ThirdPartyReward: Guard = (v) => isObject(v) && (v.token == null || isString(v.token)) && (v.symbol == null || isString(v.symbol)) && (v.tokensPerBlock == null || (isNumber(v.tokensPerBlock) || isString(v.tokensPerBlock))) && (v.endBlock == null || isInteger(v.endBlock))
const Account: Guard = (v) => isObject(v) && (v.credits == null || isNumber(v.credits)) && (v.tier == null || isString(v.tier))
const OpenApiDocument: Guard = (v) => isObject(v) && isString(v.openapi)

/** Whether the whole answer of each operation, envelope included, is what the contract says. */
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
