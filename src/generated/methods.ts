// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

import type { ApiPromise, OperationTools, PartialBatch } from '../client/api-promise.ts'
import type { BatchOptions, CallOptions } from '../client/options.ts'
import type { Account, BalanceDocument, Candle, EtnPrice, Farm, LiquidityLock, NftAsset, NftCollection, NftCollectionDetails, NftStats, OpenApiDocument, OperationParams, Pool, Presale, Token, TokenDetails, TokenHistory, TokenPrice, Trade } from './types.ts'

/** Every operation of the contract, as `client.group.action`. */
export interface Methods {
  /** The chain's own asset. */
  readonly etn: {
    /**
     * Spot price of ETN in USD.
     *
     * Cost: 25 credits. Resolves to `EtnPrice`; evidence: assumed.
     */
    readonly price: OperationTools<OperationParams['etn.price'], EtnPrice, [params?: OperationParams['etn.price']]> & {
      /**
       * Spot price of ETN in USD.
       *
       * Cost: 25 credits. Resolves to `EtnPrice`; evidence: assumed.
       *
       * `GET /prices/etn`
       * @param params none: the operation takes no parameters
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['etn.price'], options?: CallOptions): ApiPromise<EtnPrice>
    }
  }
  /** Listed tokens. */
  readonly token: {
    /**
     * Price of one token in USD and in ETN.
     *
     * Cost: 50 credits. Resolves to `TokenPrice`; evidence: observed.
     */
    readonly price: OperationTools<OperationParams['token.price'], TokenPrice> & {
      /**
       * Price of one token in USD and in ETN.
       *
       * Cost: 50 credits. Resolves to `TokenPrice`; evidence: observed.
       *
       * `GET /prices/{chainId}/{address}`
       * @param params `address`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['token.price'], options?: CallOptions): ApiPromise<TokenPrice>
    }
    /**
     * Listed tokens, in no particular order.
     *
     * Cost: 100 credits + 5 for each item, at most 600. Resolves to `Token[]`; evidence: observed.
     */
    readonly list: OperationTools<OperationParams['token.list'], Token[], [params?: OperationParams['token.list']]> & {
      /**
       * Listed tokens, in no particular order.
       *
       * Cost: 100 credits + 5 for each item, at most 600. Resolves to `Token[]`; evidence: observed.
       *
       * `GET /tokens/{chainId}`
       * @param params optional: `limit`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['token.list'], options?: CallOptions): ApiPromise<Token[]>
    }
    /**
     * One token with its supply and last price.
     *
     * Cost: 100 credits. Resolves to `TokenDetails`; evidence: observed, assumed.
     */
    readonly get: OperationTools<OperationParams['token.get'], TokenDetails> & {
      /**
       * One token with its supply and last price.
       *
       * Cost: 100 credits. Resolves to `TokenDetails`; evidence: observed, assumed.
       *
       * `GET /tokens/{chainId}/{address}`
       * @param params `address`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['token.get'], options?: CallOptions): ApiPromise<TokenDetails>
    }
    /**
     * OHLCV candles of a token; periods without a trade may be left out.
     *
     * The newest ones, oldest first, each time once. The last one is open until its period ends, and changes until then. The answer is as the service sent it; `etn-market/candles` fills gaps, leaves out the open candle, and joins answers without duplicates.
     *
     * Cost: 100 credits + 1 for each item, at most 600. Resolves to `Candle[]`; evidence: observed.
     */
    readonly candles: OperationTools<OperationParams['token.candles'], Candle[]> & {
      /**
       * OHLCV candles of a token; periods without a trade may be left out.
       *
       * The newest ones, oldest first, each time once. The last one is open until its period ends, and changes until then. The answer is as the service sent it; `etn-market/candles` fills gaps, leaves out the open candle, and joins answers without duplicates.
       *
       * Cost: 100 credits + 1 for each item, at most 600. Resolves to `Candle[]`; evidence: observed.
       *
       * `GET /tokens/{chainId}/{address}/candles`
       * @param params `address`; optional: `limit`, `bucket`, `currency`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['token.candles'], options?: CallOptions): ApiPromise<Candle[]>
    }
    /**
     * Price history of a token over a window, with its volume, high and low.
     *
     * Cost: 200 credits. Resolves to `TokenHistory`; evidence: assumed.
     */
    readonly history: OperationTools<OperationParams['token.history'], TokenHistory> & {
      /**
       * Price history of a token over a window, with its volume, high and low.
       *
       * Cost: 200 credits. Resolves to `TokenHistory`; evidence: assumed.
       *
       * `GET /tokens/{chainId}/{address}/history`
       * @param params `address`; optional: `duration`, `currency`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['token.history'], options?: CallOptions): ApiPromise<TokenHistory>
    }
  }
  /** Prices of many tokens in one call. */
  readonly prices: {
    /**
     * Prices of many tokens, keyed by address.
     *
     * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price; evidence: observed.
     */
    readonly batch: OperationTools<OperationParams['prices.batch'], Record<string, TokenPrice | null>> & {
      /**
       * Prices of many tokens, keyed by address.
       *
       * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price; evidence: observed.
       *
       * `GET /prices/{chainId}`
       * @param params `addresses`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       * @throws PartialBatchError when some of several requests failed: it has the prices that were paid for. With `partial: 'return'` the call resolves with them.
       */
      <const Address extends string>(params: Omit<OperationParams['prices.batch'], 'addresses'> & { addresses: readonly Address[] }, options: BatchOptions & { partial: 'return' }): ApiPromise<PartialBatch<Address>>
      /**
       * Prices of many tokens, keyed by address.
       *
       * Cost: 100 credits + 10 for each address, at most 600 for each 50 addresses. Resolves to a record with each address as you wrote it: its `TokenPrice`, or null for a token without a price; evidence: observed.
       *
       * `GET /prices/{chainId}`
       * @param params `addresses`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       * @throws PartialBatchError when some of several requests failed: it has the prices that were paid for. With `partial: 'return'` the call resolves with them.
       */
      <const Address extends string>(params: Omit<OperationParams['prices.batch'], 'addresses'> & { addresses: readonly Address[] }, options?: BatchOptions & { partial?: 'throw' | undefined }): ApiPromise<Record<Address, TokenPrice | null>>
    }
  }
  /** Liquidity pools. */
  readonly pool: {
    /**
     * Liquidity pools of one version; there is no combined list.
     *
     * Cost: 200 credits + 5 for each item, at most 700. Resolves to `Pool[]`; evidence: observed.
     */
    readonly list: OperationTools<OperationParams['pool.list'], Pool[], [params?: OperationParams['pool.list']]> & {
      /**
       * Liquidity pools of one version; there is no combined list.
       *
       * Cost: 200 credits + 5 for each item, at most 700. Resolves to `Pool[]`; evidence: observed.
       *
       * `GET /pools/{chainId}`
       * @param params optional: `limit`, `version`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['pool.list'], options?: CallOptions): ApiPromise<Pool[]>
    }
  }
  /** Recent swaps. */
  readonly trade: {
    /**
     * The newest swaps, newest first; never more than 25, and no way to page further back.
     *
     * Cost: 250 credits + 10 for each item, at most 500. Resolves to `Trade[]`; evidence: assumed.
     */
    readonly list: OperationTools<OperationParams['trade.list'], Trade[], [params?: OperationParams['trade.list']]> & {
      /**
       * The newest swaps, newest first; never more than 25, and no way to page further back.
       *
       * Cost: 250 credits + 10 for each item, at most 500. Resolves to `Trade[]`; evidence: assumed.
       *
       * `GET /trades/{chainId}`
       * @param params optional: `limit`, `token`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['trade.list'], options?: CallOptions): ApiPromise<Trade[]>
    }
  }
  /** The NFT marketplace. */
  readonly nft: {
    /**
     * Totals of the NFT marketplace.
     *
     * Cost: 25 credits. Resolves to `NftStats`; evidence: observed.
     */
    readonly stats: OperationTools<OperationParams['nft.stats'], NftStats, [params?: OperationParams['nft.stats']]> & {
      /**
       * Totals of the NFT marketplace.
       *
       * Cost: 25 credits. Resolves to `NftStats`; evidence: observed.
       *
       * `GET /nft/stats`
       * @param params none: the operation takes no parameters
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['nft.stats'], options?: CallOptions): ApiPromise<NftStats>
    }
    /**
     * Listed NFT collections, identity only.
     *
     * Cost: 300 credits + 10 for each item, at most 800. Resolves to `NftCollection[]`; evidence: observed.
     */
    readonly collections: OperationTools<OperationParams['nft.collections'], NftCollection[], [params?: OperationParams['nft.collections']]> & {
      /**
       * Listed NFT collections, identity only.
       *
       * Cost: 300 credits + 10 for each item, at most 800. Resolves to `NftCollection[]`; evidence: observed.
       *
       * `GET /nft/collections/{chainId}`
       * @param params optional: `limit`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['nft.collections'], options?: CallOptions): ApiPromise<NftCollection[]>
    }
    /**
     * One NFT collection with its floor, owners and volume.
     *
     * Cost: 500 credits. Resolves to `NftCollectionDetails`; evidence: observed.
     */
    readonly collection: OperationTools<OperationParams['nft.collection'], NftCollectionDetails> & {
      /**
       * One NFT collection with its floor, owners and volume.
       *
       * Cost: 500 credits. Resolves to `NftCollectionDetails`; evidence: observed.
       *
       * `GET /nft/collections/{chainId}/{address}`
       * @param params `address`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['nft.collection'], options?: CallOptions): ApiPromise<NftCollectionDetails>
    }
    /**
     * Assets inside an NFT collection.
     *
     * Cost: 400 credits + 20 for each item, at most 1400. Resolves to `NftAsset[]`; evidence: inferred.
     */
    readonly assets: OperationTools<OperationParams['nft.assets'], NftAsset[]> & {
      /**
       * Assets inside an NFT collection.
       *
       * Cost: 400 credits + 20 for each item, at most 1400. Resolves to `NftAsset[]`; evidence: inferred.
       *
       * `GET /nft/collections/{chainId}/{address}/assets`
       * @param params `address`; optional: `limit`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['nft.assets'], options?: CallOptions): ApiPromise<NftAsset[]>
    }
  }
  /** Launchpad campaigns. */
  readonly presale: {
    /**
     * Launchpad campaigns.
     *
     * Cost: 250 credits + 10 for each item, at most 750. Resolves to `Presale[]`; evidence: inferred, documented.
     */
    readonly list: OperationTools<OperationParams['presale.list'], Presale[], [params?: OperationParams['presale.list']]> & {
      /**
       * Launchpad campaigns.
       *
       * Cost: 250 credits + 10 for each item, at most 750. Resolves to `Presale[]`; evidence: inferred, documented.
       *
       * `GET /presales/{chainId}`
       * @param params optional: `limit`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['presale.list'], options?: CallOptions): ApiPromise<Presale[]>
    }
    /**
     * One launchpad campaign, by its pool address.
     *
     * Cost: 200 credits. Resolves to `Presale`; evidence: inferred, documented.
     */
    readonly get: OperationTools<OperationParams['presale.get'], Presale> & {
      /**
       * One launchpad campaign, by its pool address.
       *
       * Cost: 200 credits. Resolves to `Presale`; evidence: inferred, documented.
       *
       * `GET /presales/{chainId}/{pool}`
       * @param params `pool`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['presale.get'], options?: CallOptions): ApiPromise<Presale>
    }
  }
  /** What an address holds. */
  readonly balances: {
    /**
     * What an address holds, as last recorded; not refreshed, not priced.
     *
     * Cost: 800 credits + 10 for each item, at most 2800. Resolves to `BalanceDocument`; evidence: observed.
     */
    readonly get: OperationTools<OperationParams['balances.get'], BalanceDocument> & {
      /**
       * What an address holds, as last recorded; not refreshed, not priced.
       *
       * Cost: 800 credits + 10 for each item, at most 2800. Resolves to `BalanceDocument`; evidence: observed.
       *
       * `GET /balances/{chainId}/{address}`
       * @param params `address`; optional: `limit`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['balances.get'], options?: CallOptions): ApiPromise<BalanceDocument>
    }
  }
  /** Locked liquidity. */
  readonly locks: {
    /**
     * Locked liquidity of a token and when it unlocks.
     *
     * Heavy. At most two heavy calls are in flight across all keys; a further one can be refused with 503 server_busy.
     *
     * Cost: 2000 credits. Resolves to `LiquidityLock[]`; evidence: observed.
     */
    readonly get: OperationTools<OperationParams['locks.get'], LiquidityLock[]> & {
      /**
       * Locked liquidity of a token and when it unlocks.
       *
       * Heavy. At most two heavy calls are in flight across all keys; a further one can be refused with 503 server_busy.
       *
       * Cost: 2000 credits. Resolves to `LiquidityLock[]`; evidence: observed.
       *
       * `GET /tokens/{chainId}/{address}/liquidity-locks`
       * @param params `address`
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params: OperationParams['locks.get'], options?: CallOptions): ApiPromise<LiquidityLock[]>
    }
  }
  /** Yield farms. */
  readonly farm: {
    /**
     * Active yield farms and what they pay; there is no filter by account.
     *
     * Heavy. At most two heavy calls are in flight across all keys; a further one can be refused with 503 server_busy.
     *
     * Cost: 3000 credits. Resolves to `Farm[]`; evidence: inferred.
     */
    readonly list: OperationTools<OperationParams['farm.list'], Farm[], [params?: OperationParams['farm.list']]> & {
      /**
       * Active yield farms and what they pay; there is no filter by account.
       *
       * Heavy. At most two heavy calls are in flight across all keys; a further one can be refused with 503 server_busy.
       *
       * Cost: 3000 credits. Resolves to `Farm[]`; evidence: inferred.
       *
       * `GET /farms/{chainId}`
       * @param params none: the operation takes no parameters
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['farm.list'], options?: CallOptions): ApiPromise<Farm[]>
    }
  }
  /** The caller's own credits. */
  readonly account: {
    /**
     * Credit balance and tier of the calling key.
     *
     * Cost: free. Resolves to `Account`; evidence: assumed.
     */
    readonly me: OperationTools<OperationParams['account.me'], Account, [params?: OperationParams['account.me']]> & {
      /**
       * Credit balance and tier of the calling key.
       *
       * Cost: free. Resolves to `Account`; evidence: assumed.
       *
       * `GET /me`
       * @param params none: the operation takes no parameters
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['account.me'], options?: CallOptions): ApiPromise<Account>
    }
  }
  /** The interface itself. */
  readonly meta: {
    /**
     * The service's own description of its interface.
     *
     * Needs no key. It is not known whether the document comes in the envelope or bare, so both are accepted.
     *
     * Cost: free. Resolves to `OpenApiDocument`; evidence: observed.
     */
    readonly openapi: OperationTools<OperationParams['meta.openapi'], OpenApiDocument, [params?: OperationParams['meta.openapi']]> & {
      /**
       * The service's own description of its interface.
       *
       * Needs no key. It is not known whether the document comes in the envelope or bare, so both are accepted.
       *
       * Cost: free. Resolves to `OpenApiDocument`; evidence: observed.
       *
       * `GET /openapi.json`
       * @param params none: the operation takes no parameters
       * @param options options for this call only: `signal`, `timeoutMs`, `retry` and so on
       * @throws EtnMarketError: its `code` says what went wrong; `charge` and `credits` say what it cost.
       * @throws InvalidRequestError for a parameter that is not accepted, before anything is sent.
       */
      (params?: OperationParams['meta.openapi'], options?: CallOptions): ApiPromise<OpenApiDocument>
    }
  }
}
