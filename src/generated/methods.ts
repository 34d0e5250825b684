// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import type { ApiPromise, OperationTools, PartialBatch } from '../api-promise.ts'
import type { BatchOptions, CallOptions } from '../options.ts'
import type { Account, AccountMeParams, BalanceDocument, BalancesGetParams, Candle, EtnPrice, EtnPriceParams, Farm, FarmListParams, LiquidityLock, LocksGetParams, MetaOpenapiParams, NftAsset, NftAssetsParams, NftCollection, NftCollectionDetails, NftCollectionParams, NftCollectionsParams, NftStats, NftStatsParams, OpenApiDocument, Pool, PoolListParams, Presale, PresaleGetParams, PresaleListParams, PricesBatchParams, Token, TokenCandlesParams, TokenDetails, TokenGetParams, TokenHistory, TokenHistoryParams, TokenListParams, TokenPrice, TokenPriceParams, Trade, TradeListParams } from './types.ts'

/** Every operation of the contract, as `client.group.action`. */
export interface Methods {
  /** The chain's own asset. */
  readonly etn: {
    /**
     * Spot price of ETN in USD.
     *
     * Cost: 25 credits. Resolves to `EtnPrice`; evidence: assumed.
     */
    readonly price: EtnPriceMethod
  }
  /** Listed tokens. */
  readonly token: {
    /**
     * Price of one token in USD and in ETN.
     *
     * Cost: 50 credits. Resolves to `TokenPrice`; evidence: observed.
     */
    readonly price: TokenPriceMethod
    /**
     * Listed tokens, in no particular order.
     *
     * Cost: 100 credits + 5 for each item, at most 600. Resolves to `Token[]`; evidence: observed.
     */
    readonly list: TokenListMethod
    /**
     * One token with its supply and last price.
     *
     * Cost: 100 credits. Resolves to `TokenDetails`; evidence: observed, assumed.
     */
    readonly get: TokenGetMethod
    /**
     * OHLCV candles of a token; periods without a trade may be left out.
     *
     * Cost: 100 credits + 1 for each item, at most 600. Resolves to `Candle[]`; evidence: observed.
     */
    readonly candles: TokenCandlesMethod
    /**
     * Price history of a token over a window, with its volume, high and low.
     *
     * Cost: 200 credits. Resolves to `TokenHistory`; evidence: assumed.
     */
    readonly history: TokenHistoryMethod
  }
  /** Prices of many tokens in one call. */
  readonly prices: {
    /**
     * Prices of many tokens, keyed by address.
     *
     * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price; evidence: observed.
     */
    readonly batch: PricesBatchMethod
  }
  /** Liquidity pools. */
  readonly pool: {
    /**
     * Liquidity pools of one version; there is no combined list.
     *
     * Cost: 200 credits + 5 for each item, at most 700. Resolves to `Pool[]`; evidence: observed.
     */
    readonly list: PoolListMethod
  }
  /** Recent swaps. */
  readonly trade: {
    /**
     * The newest swaps, newest first; never more than 25, and no way to page further back.
     *
     * Cost: 250 credits + 10 for each item, at most 500. Resolves to `Trade[]`; evidence: assumed.
     */
    readonly list: TradeListMethod
  }
  /** The NFT marketplace. */
  readonly nft: {
    /**
     * Totals of the NFT marketplace.
     *
     * Cost: 25 credits. Resolves to `NftStats`; evidence: observed.
     */
    readonly stats: NftStatsMethod
    /**
     * Listed NFT collections, identity only.
     *
     * Cost: 300 credits + 10 for each item, at most 800. Resolves to `NftCollection[]`; evidence: observed.
     */
    readonly collections: NftCollectionsMethod
    /**
     * One NFT collection with its floor, owners and volume.
     *
     * Cost: 500 credits. Resolves to `NftCollectionDetails`; evidence: observed.
     */
    readonly collection: NftCollectionMethod
    /**
     * Assets inside an NFT collection.
     *
     * Cost: 400 credits + 20 for each item, at most 1400. Resolves to `NftAsset[]`; evidence: inferred.
     */
    readonly assets: NftAssetsMethod
  }
  /** Launchpad campaigns. */
  readonly presale: {
    /**
     * Launchpad campaigns.
     *
     * Cost: 250 credits + 10 for each item, at most 750. Resolves to `Presale[]`; evidence: inferred, documented.
     */
    readonly list: PresaleListMethod
    /**
     * One launchpad campaign, by its pool address.
     *
     * Cost: 200 credits. Resolves to `Presale`; evidence: inferred, documented.
     */
    readonly get: PresaleGetMethod
  }
  /** What an address holds. */
  readonly balances: {
    /**
     * What an address holds, as last recorded; not refreshed, not priced.
     *
     * Cost: 800 credits + 10 for each item, at most 2800. Resolves to `BalanceDocument`; evidence: observed.
     */
    readonly get: BalancesGetMethod
  }
  /** Locked liquidity. */
  readonly locks: {
    /**
     * Locked liquidity of a token and when it unlocks.
     *
     * Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.
     *
     * Cost: 2000 credits. Resolves to `LiquidityLock[]`; evidence: observed.
     */
    readonly get: LocksGetMethod
  }
  /** Yield farms. */
  readonly farm: {
    /**
     * Active yield farms and what they pay; there is no filter by account.
     *
     * Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.
     *
     * Cost: 3000 credits. Resolves to `Farm[]`; evidence: inferred.
     */
    readonly list: FarmListMethod
  }
  /** The caller's own credits. */
  readonly account: {
    /**
     * Credit balance and tier of the calling key.
     *
     * Cost: free. Resolves to `Account`; evidence: assumed.
     */
    readonly me: AccountMeMethod
  }
  /** The interface itself. */
  readonly meta: {
    /**
     * The service's own description of its interface.
     *
     * Needs no key. Whether the document comes in the envelope or bare is not known, so both are understood.
     *
     * Cost: free. Resolves to `OpenApiDocument`; evidence: observed.
     */
    readonly openapi: MetaOpenapiMethod
  }
}

/** The method of `etn.price`. */
export interface EtnPriceMethod extends OperationTools<EtnPriceParams, EtnPrice, [params?: EtnPriceParams]> {
  /**
   * Spot price of ETN in USD.
   *
   * Cost: 25 credits. Resolves to `EtnPrice`; evidence: assumed.
   *
   * `GET /prices/etn`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: EtnPriceParams, options?: CallOptions): ApiPromise<EtnPrice>
}

/** The method of `prices.batch`. */
export interface PricesBatchMethod extends OperationTools<PricesBatchParams, Record<string, TokenPrice | null>> {
  /**
   * Prices of many tokens, keyed by address.
   *
   * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price; evidence: observed.
   *
   * `GET /prices/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   * @throws PartialBatchError when some of several requests failed: it has the prices that were paid for. `partial: 'return'` resolves with them.
   */
  <const Address extends string>(params: Omit<PricesBatchParams, 'addresses'> & { addresses: readonly Address[] }, options: BatchOptions & { partial: 'return' }): ApiPromise<PartialBatch<Address>>
  /**
   * Prices of many tokens, keyed by address.
   *
   * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price; evidence: observed.
   *
   * `GET /prices/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   * @throws PartialBatchError when some of several requests failed: it has the prices that were paid for. `partial: 'return'` resolves with them.
   */
  <const Address extends string>(params: Omit<PricesBatchParams, 'addresses'> & { addresses: readonly Address[] }, options?: BatchOptions & { partial?: 'throw' | undefined }): ApiPromise<Record<Address, TokenPrice | null>>
}

/** The method of `token.price`. */
export interface TokenPriceMethod extends OperationTools<TokenPriceParams, TokenPrice> {
  /**
   * Price of one token in USD and in ETN.
   *
   * Cost: 50 credits. Resolves to `TokenPrice`; evidence: observed.
   *
   * `GET /prices/{chainId}/{address}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: TokenPriceParams, options?: CallOptions): ApiPromise<TokenPrice>
}

/** The method of `token.list`. */
export interface TokenListMethod extends OperationTools<TokenListParams, Token[], [params?: TokenListParams]> {
  /**
   * Listed tokens, in no particular order.
   *
   * Cost: 100 credits + 5 for each item, at most 600. Resolves to `Token[]`; evidence: observed.
   *
   * `GET /tokens/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: TokenListParams, options?: CallOptions): ApiPromise<Token[]>
}

/** The method of `token.get`. */
export interface TokenGetMethod extends OperationTools<TokenGetParams, TokenDetails> {
  /**
   * One token with its supply and last price.
   *
   * Cost: 100 credits. Resolves to `TokenDetails`; evidence: observed, assumed.
   *
   * `GET /tokens/{chainId}/{address}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: TokenGetParams, options?: CallOptions): ApiPromise<TokenDetails>
}

/** The method of `token.candles`. */
export interface TokenCandlesMethod extends OperationTools<TokenCandlesParams, Candle[]> {
  /**
   * OHLCV candles of a token; periods without a trade may be left out.
   *
   * Cost: 100 credits + 1 for each item, at most 600. Resolves to `Candle[]`; evidence: observed.
   *
   * `GET /tokens/{chainId}/{address}/candles`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: TokenCandlesParams, options?: CallOptions): ApiPromise<Candle[]>
}

/** The method of `token.history`. */
export interface TokenHistoryMethod extends OperationTools<TokenHistoryParams, TokenHistory> {
  /**
   * Price history of a token over a window, with its volume, high and low.
   *
   * Cost: 200 credits. Resolves to `TokenHistory`; evidence: assumed.
   *
   * `GET /tokens/{chainId}/{address}/history`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: TokenHistoryParams, options?: CallOptions): ApiPromise<TokenHistory>
}

/** The method of `pool.list`. */
export interface PoolListMethod extends OperationTools<PoolListParams, Pool[], [params?: PoolListParams]> {
  /**
   * Liquidity pools of one version; there is no combined list.
   *
   * Cost: 200 credits + 5 for each item, at most 700. Resolves to `Pool[]`; evidence: observed.
   *
   * `GET /pools/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: PoolListParams, options?: CallOptions): ApiPromise<Pool[]>
}

/** The method of `trade.list`. */
export interface TradeListMethod extends OperationTools<TradeListParams, Trade[], [params?: TradeListParams]> {
  /**
   * The newest swaps, newest first; never more than 25, and no way to page further back.
   *
   * Cost: 250 credits + 10 for each item, at most 500. Resolves to `Trade[]`; evidence: assumed.
   *
   * `GET /trades/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: TradeListParams, options?: CallOptions): ApiPromise<Trade[]>
}

/** The method of `nft.stats`. */
export interface NftStatsMethod extends OperationTools<NftStatsParams, NftStats, [params?: NftStatsParams]> {
  /**
   * Totals of the NFT marketplace.
   *
   * Cost: 25 credits. Resolves to `NftStats`; evidence: observed.
   *
   * `GET /nft/stats`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: NftStatsParams, options?: CallOptions): ApiPromise<NftStats>
}

/** The method of `nft.collections`. */
export interface NftCollectionsMethod extends OperationTools<NftCollectionsParams, NftCollection[], [params?: NftCollectionsParams]> {
  /**
   * Listed NFT collections, identity only.
   *
   * Cost: 300 credits + 10 for each item, at most 800. Resolves to `NftCollection[]`; evidence: observed.
   *
   * `GET /nft/collections/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: NftCollectionsParams, options?: CallOptions): ApiPromise<NftCollection[]>
}

/** The method of `nft.collection`. */
export interface NftCollectionMethod extends OperationTools<NftCollectionParams, NftCollectionDetails> {
  /**
   * One NFT collection with its floor, owners and volume.
   *
   * Cost: 500 credits. Resolves to `NftCollectionDetails`; evidence: observed.
   *
   * `GET /nft/collections/{chainId}/{address}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: NftCollectionParams, options?: CallOptions): ApiPromise<NftCollectionDetails>
}

/** The method of `nft.assets`. */
export interface NftAssetsMethod extends OperationTools<NftAssetsParams, NftAsset[]> {
  /**
   * Assets inside an NFT collection.
   *
   * Cost: 400 credits + 20 for each item, at most 1400. Resolves to `NftAsset[]`; evidence: inferred.
   *
   * `GET /nft/collections/{chainId}/{address}/assets`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: NftAssetsParams, options?: CallOptions): ApiPromise<NftAsset[]>
}

/** The method of `presale.list`. */
export interface PresaleListMethod extends OperationTools<PresaleListParams, Presale[], [params?: PresaleListParams]> {
  /**
   * Launchpad campaigns.
   *
   * Cost: 250 credits + 10 for each item, at most 750. Resolves to `Presale[]`; evidence: inferred, documented.
   *
   * `GET /presales/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: PresaleListParams, options?: CallOptions): ApiPromise<Presale[]>
}

/** The method of `presale.get`. */
export interface PresaleGetMethod extends OperationTools<PresaleGetParams, Presale> {
  /**
   * One launchpad campaign, by its pool address.
   *
   * Cost: 200 credits. Resolves to `Presale`; evidence: inferred, documented.
   *
   * `GET /presales/{chainId}/{pool}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: PresaleGetParams, options?: CallOptions): ApiPromise<Presale>
}

/** The method of `balances.get`. */
export interface BalancesGetMethod extends OperationTools<BalancesGetParams, BalanceDocument> {
  /**
   * What an address holds, as last recorded; not refreshed, not priced.
   *
   * Cost: 800 credits + 10 for each item, at most 2800. Resolves to `BalanceDocument`; evidence: observed.
   *
   * `GET /balances/{chainId}/{address}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: BalancesGetParams, options?: CallOptions): ApiPromise<BalanceDocument>
}

/** The method of `locks.get`. */
export interface LocksGetMethod extends OperationTools<LocksGetParams, LiquidityLock[]> {
  /**
   * Locked liquidity of a token and when it unlocks.
   *
   * Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.
   *
   * Cost: 2000 credits. Resolves to `LiquidityLock[]`; evidence: observed.
   *
   * `GET /tokens/{chainId}/{address}/liquidity-locks`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params: LocksGetParams, options?: CallOptions): ApiPromise<LiquidityLock[]>
}

/** The method of `farm.list`. */
export interface FarmListMethod extends OperationTools<FarmListParams, Farm[], [params?: FarmListParams]> {
  /**
   * Active yield farms and what they pay; there is no filter by account.
   *
   * Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.
   *
   * Cost: 3000 credits. Resolves to `Farm[]`; evidence: inferred.
   *
   * `GET /farms/{chainId}`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: FarmListParams, options?: CallOptions): ApiPromise<Farm[]>
}

/** The method of `account.me`. */
export interface AccountMeMethod extends OperationTools<AccountMeParams, Account, [params?: AccountMeParams]> {
  /**
   * Credit balance and tier of the calling key.
   *
   * Cost: free. Resolves to `Account`; evidence: assumed.
   *
   * `GET /me`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: AccountMeParams, options?: CallOptions): ApiPromise<Account>
}

/** The method of `meta.openapi`. */
export interface MetaOpenapiMethod extends OperationTools<MetaOpenapiParams, OpenApiDocument, [params?: MetaOpenapiParams]> {
  /**
   * The service's own description of its interface.
   *
   * Needs no key. Whether the document comes in the envelope or bare is not known, so both are understood.
   *
   * Cost: free. Resolves to `OpenApiDocument`; evidence: observed.
   *
   * `GET /openapi.json`
   * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
   * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
   */
  (params?: MetaOpenapiParams, options?: CallOptions): ApiPromise<OpenApiDocument>
}
