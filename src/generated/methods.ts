// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import type { Method, OptionalMethod, PriceBatchMethod } from '../api-promise.ts'
import type { Account, AccountMeParams, BalanceDocument, BalancesGetParams, Candle, EtnPrice, EtnPriceParams, Farm, FarmListParams, LiquidityLock, LocksGetParams, MetaOpenapiParams, NftAsset, NftAssetsParams, NftCollection, NftCollectionDetails, NftCollectionParams, NftCollectionsParams, NftStats, NftStatsParams, OpenApiDocument, Pool, PoolListParams, Presale, PresaleGetParams, PresaleListParams, Token, TokenCandlesParams, TokenDetails, TokenGetParams, TokenHistory, TokenHistoryParams, TokenListParams, TokenPrice, TokenPriceParams, Trade, TradeListParams } from './types.ts'

/** Every operation of the contract, as `client.group.action`. */
export interface Methods {
  /** The chain's own asset. */
  readonly etn: {
    /**
     * Spot price of ETN in USD.
     *
     * Cost: 25 credits. Resolves to `EtnPrice`; evidence: assumed.
     *
     * `GET /prices/etn`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly price: OptionalMethod<EtnPriceParams, EtnPrice>
  }
  /** Listed tokens. */
  readonly token: {
    /**
     * Price of one token in USD and in ETN.
     *
     * Cost: 50 credits. Resolves to `TokenPrice`; evidence: observed.
     *
     * `GET /prices/{chainId}/{address}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly price: Method<TokenPriceParams, TokenPrice>
    /**
     * Listed tokens, in no particular order.
     *
     * Cost: 100 credits + 5 for each item, at most 600. Resolves to `Token[]`; evidence: observed.
     *
     * `GET /tokens/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly list: OptionalMethod<TokenListParams, Token[]>
    /**
     * One token with its supply and last price.
     *
     * Cost: 100 credits. Resolves to `TokenDetails`; evidence: observed, assumed.
     *
     * `GET /tokens/{chainId}/{address}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly get: Method<TokenGetParams, TokenDetails>
    /**
     * OHLCV candles of a token; periods without a trade may be left out.
     *
     * Cost: 100 credits + 1 for each item, at most 600. Resolves to `Candle[]`; evidence: observed.
     *
     * `GET /tokens/{chainId}/{address}/candles`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly candles: Method<TokenCandlesParams, Candle[]>
    /**
     * Price history of a token over a window, with its volume, high and low.
     *
     * Cost: 200 credits. Resolves to `TokenHistory`; evidence: assumed.
     *
     * `GET /tokens/{chainId}/{address}/history`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly history: Method<TokenHistoryParams, TokenHistory>
  }
  /** Prices of many tokens in one call. */
  readonly prices: {
    /**
     * Prices of many tokens, keyed by address; a token without a price is absent.
     *
     * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to `PriceBatch`; evidence: observed.
     *
     * `GET /prices/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly batch: PriceBatchMethod
  }
  /** Liquidity pools. */
  readonly pool: {
    /**
     * Liquidity pools of one version; there is no combined list.
     *
     * Cost: 200 credits + 5 for each item, at most 700. Resolves to `Pool[]`; evidence: observed.
     *
     * `GET /pools/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly list: OptionalMethod<PoolListParams, Pool[]>
  }
  /** Recent swaps. */
  readonly trade: {
    /**
     * The newest swaps, newest first; never more than 25, and no way to page further back.
     *
     * Cost: 250 credits + 10 for each item, at most 500. Resolves to `Trade[]`; evidence: assumed.
     *
     * `GET /trades/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly list: OptionalMethod<TradeListParams, Trade[]>
  }
  /** The NFT marketplace. */
  readonly nft: {
    /**
     * Totals of the NFT marketplace.
     *
     * Cost: 25 credits. Resolves to `NftStats`; evidence: observed.
     *
     * `GET /nft/stats`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly stats: OptionalMethod<NftStatsParams, NftStats>
    /**
     * Listed NFT collections, identity only.
     *
     * Cost: 300 credits + 10 for each item, at most 800. Resolves to `NftCollection[]`; evidence: observed.
     *
     * `GET /nft/collections/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly collections: OptionalMethod<NftCollectionsParams, NftCollection[]>
    /**
     * One NFT collection with its floor, owners and volume.
     *
     * Cost: 500 credits. Resolves to `NftCollectionDetails`; evidence: observed.
     *
     * `GET /nft/collections/{chainId}/{address}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly collection: Method<NftCollectionParams, NftCollectionDetails>
    /**
     * Assets inside an NFT collection.
     *
     * Cost: 400 credits + 20 for each item, at most 1400. Resolves to `NftAsset[]`; evidence: inferred.
     *
     * `GET /nft/collections/{chainId}/{address}/assets`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly assets: Method<NftAssetsParams, NftAsset[]>
  }
  /** Launchpad campaigns. */
  readonly presale: {
    /**
     * Launchpad campaigns.
     *
     * Cost: 250 credits + 10 for each item, at most 750. Resolves to `Presale[]`; evidence: inferred, documented.
     *
     * `GET /presales/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly list: OptionalMethod<PresaleListParams, Presale[]>
    /**
     * One launchpad campaign, by its pool address.
     *
     * Cost: 200 credits. Resolves to `Presale`; evidence: inferred, documented.
     *
     * `GET /presales/{chainId}/{pool}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly get: Method<PresaleGetParams, Presale>
  }
  /** What an address holds. */
  readonly balances: {
    /**
     * What an address holds, as last recorded; not refreshed, not priced.
     *
     * Cost: 800 credits + 10 for each item, at most 2800. Resolves to `BalanceDocument`; evidence: observed.
     *
     * `GET /balances/{chainId}/{address}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly get: Method<BalancesGetParams, BalanceDocument>
  }
  /** Locked liquidity. */
  readonly locks: {
    /**
     * Locked liquidity of a token and when it unlocks.
     *
     * Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.
     *
     * Cost: 2000 credits. Resolves to `LiquidityLock[]`; evidence: observed.
     *
     * `GET /tokens/{chainId}/{address}/liquidity-locks`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly get: Method<LocksGetParams, LiquidityLock[]>
  }
  /** Yield farms. */
  readonly farm: {
    /**
     * Active yield farms and what they pay; there is no filter by account.
     *
     * Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.
     *
     * Cost: 3000 credits. Resolves to `Farm[]`; evidence: inferred.
     *
     * `GET /farms/{chainId}`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly list: OptionalMethod<FarmListParams, Farm[]>
  }
  /** The caller's own credits. */
  readonly account: {
    /**
     * Credit balance and tier of the calling key.
     *
     * Cost: free. Resolves to `Account`; evidence: assumed.
     *
     * `GET /me`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly me: OptionalMethod<AccountMeParams, Account>
  }
  /** The interface itself. */
  readonly meta: {
    /**
     * The service's own description of its interface.
     *
     * Needs no key. Whether the document comes in the envelope or bare is not known, so both are understood.
     *
     * Cost: free. Resolves to `OpenApiDocument`; evidence: observed.
     *
     * `GET /openapi.json`
     * @throws InvalidRequestError before anything is sent when a parameter is not accepted; see the README for the other errors.
     */
    readonly openapi: OptionalMethod<MetaOpenapiParams, OpenApiDocument>
  }
}
