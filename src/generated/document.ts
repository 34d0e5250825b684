// Generated from src/contract/openapi.yaml by `npm run generate`. Do not edit.

/** The contract itself, as the fake service answers it on `/openapi.json`. */
export const document: Record<string, unknown> = {
 "openapi": "3.1.0",
 "info": {
  "title": "Public read-only market-data API",
  "version": "1",
  "summary": "Prices, candles, pools, trades, NFTs, presales, balances, locks and farms of one chain, metered in credits.",
  "description": "Written for this client from the service's public description and from what public programs saw of the live service.\nEvery response field carries a grade in `x-evidence`:\n\n- `documented`: the service's own description says it.\n- `observed`: at least one public client states that it saw it live.\n- `inferred`: the vendor's sibling interface uses this name for the same thing; optional and nullable here.\n- `assumed`: nobody has shown it; a placeholder, optional and nullable here.\n\nUnknown fields are always kept. `x-credits` is the cost of a success in credits (1,000,000 credits = 1 USD):\nbase + perItem for each item found at `items`, of which there are at most `maxItems`.\n",
  "license": {
   "name": "MIT",
   "identifier": "MIT"
  }
 },
 "servers": [
  {
   "url": "https://electroswap.io/public-api/v1",
   "description": "The public service (observed by two independent clients)"
  }
 ],
 "tags": [
  {
   "name": "etn",
   "description": "The chain's own asset"
  },
  {
   "name": "token",
   "description": "Listed tokens"
  },
  {
   "name": "prices",
   "description": "Prices of many tokens in one call"
  },
  {
   "name": "pool",
   "description": "Liquidity pools"
  },
  {
   "name": "trade",
   "description": "Recent swaps"
  },
  {
   "name": "nft",
   "description": "The NFT marketplace"
  },
  {
   "name": "presale",
   "description": "Launchpad campaigns"
  },
  {
   "name": "balances",
   "description": "What an address holds"
  },
  {
   "name": "locks",
   "description": "Locked liquidity"
  },
  {
   "name": "farm",
   "description": "Yield farms"
  },
  {
   "name": "account",
   "description": "The caller's own credits"
  },
  {
   "name": "meta",
   "description": "The interface itself"
  }
 ],
 "security": [
  {
   "apiKey": []
  }
 ],
 "paths": {
  "/prices/etn": {
   "get": {
    "operationId": "etn.price",
    "tags": [
     "etn"
    ],
    "summary": "Spot price of ETN in USD.",
    "x-credits": {
     "base": 25,
     "perItem": 0
    },
    "responses": {
     "200": {
      "$ref": "#/components/responses/EtnPrice"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/prices/{chainId}": {
   "get": {
    "operationId": "prices.batch",
    "tags": [
     "prices"
    ],
    "summary": "Prices of many tokens, keyed by address; a token without a price is absent.",
    "x-credits": {
     "base": 100,
     "perItem": 10,
     "items": "query.addresses",
     "maxItems": 50
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "addresses",
      "in": "query",
      "required": true,
      "description": "Token addresses, separated by commas.",
      "style": "form",
      "explode": false,
      "schema": {
       "type": "array",
       "minItems": 1,
       "maxItems": 50,
       "items": {
        "$ref": "#/components/schemas/Address"
       }
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/PriceBatch"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/prices/{chainId}/{address}": {
   "get": {
    "operationId": "token.price",
    "tags": [
     "token"
    ],
    "summary": "Price of one token in USD and in ETN.",
    "x-credits": {
     "base": 50,
     "perItem": 0
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/TokenPrice"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/tokens/{chainId}": {
   "get": {
    "operationId": "token.list",
    "tags": [
     "token"
    ],
    "summary": "Listed tokens, in no particular order.",
    "x-credits": {
     "base": 100,
     "perItem": 5,
     "items": "data",
     "maxItems": 100
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most tokens to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/TokenList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/tokens/{chainId}/{address}": {
   "get": {
    "operationId": "token.get",
    "tags": [
     "token"
    ],
    "summary": "One token with its supply and last price.",
    "x-credits": {
     "base": 100,
     "perItem": 0
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/Token"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/tokens/{chainId}/{address}/candles": {
   "get": {
    "operationId": "token.candles",
    "tags": [
     "token"
    ],
    "summary": "OHLCV candles of a token; periods without a trade may be left out.",
    "x-credits": {
     "base": 100,
     "perItem": 1,
     "items": "data",
     "maxItems": 500
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most candles to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 500
      }
     },
     {
      "name": "bucket",
      "in": "query",
      "description": "Length of one candle. The service takes 1h when it is left out.",
      "schema": {
       "type": "string",
       "enum": [
        "1m",
        "15m",
        "1h",
        "4h",
        "1d"
       ]
      }
     },
     {
      "$ref": "#/components/parameters/currency"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/CandleList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/tokens/{chainId}/{address}/history": {
   "get": {
    "operationId": "token.history",
    "tags": [
     "token"
    ],
    "summary": "Price history of a token over a window, with its volume, high and low.",
    "x-credits": {
     "base": 200,
     "perItem": 0
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     },
     {
      "name": "duration",
      "in": "query",
      "description": "Window looking back from now, in any case of letters. The service takes DAY when it is left out.",
      "x-any-case": true,
      "schema": {
       "type": "string",
       "enum": [
        "HOUR",
        "DAY",
        "WEEK",
        "MONTH",
        "YEAR"
       ]
      }
     },
     {
      "$ref": "#/components/parameters/currency"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/TokenHistory"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/pools/{chainId}": {
   "get": {
    "operationId": "pool.list",
    "tags": [
     "pool"
    ],
    "summary": "Liquidity pools of one version; there is no combined list.",
    "x-credits": {
     "base": 200,
     "perItem": 5,
     "items": "data",
     "maxItems": 100
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most pools to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 100
      }
     },
     {
      "name": "version",
      "in": "query",
      "description": "Pool version. The service takes 2 when it is left out.",
      "schema": {
       "type": "integer",
       "enum": [
        2,
        3
       ]
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/PoolList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/trades/{chainId}": {
   "get": {
    "operationId": "trade.list",
    "tags": [
     "trade"
    ],
    "summary": "The newest swaps, newest first; never more than 25, and no way to page further back.",
    "x-credits": {
     "base": 250,
     "perItem": 10,
     "items": "data",
     "maxItems": 25
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most trades to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 25
      }
     },
     {
      "name": "token",
      "in": "query",
      "description": "Only trades in this token.",
      "schema": {
       "$ref": "#/components/schemas/Address"
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/TradeList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/nft/stats": {
   "get": {
    "operationId": "nft.stats",
    "tags": [
     "nft"
    ],
    "summary": "Totals of the NFT marketplace.",
    "x-credits": {
     "base": 25,
     "perItem": 0
    },
    "responses": {
     "200": {
      "$ref": "#/components/responses/NftStats"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/nft/collections/{chainId}": {
   "get": {
    "operationId": "nft.collections",
    "tags": [
     "nft"
    ],
    "summary": "Listed NFT collections, identity only.",
    "x-credits": {
     "base": 300,
     "perItem": 10,
     "items": "data",
     "maxItems": 50
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most collections to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 50
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/NftCollectionList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/nft/collections/{chainId}/{address}": {
   "get": {
    "operationId": "nft.collection",
    "tags": [
     "nft"
    ],
    "summary": "One NFT collection with its floor, owners and volume.",
    "x-credits": {
     "base": 500,
     "perItem": 0
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/NftCollection"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/nft/collections/{chainId}/{address}/assets": {
   "get": {
    "operationId": "nft.assets",
    "tags": [
     "nft"
    ],
    "summary": "Assets inside an NFT collection.",
    "x-credits": {
     "base": 400,
     "perItem": 20,
     "items": "data",
     "maxItems": 50
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most assets to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 50
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/NftAssetList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/presales/{chainId}": {
   "get": {
    "operationId": "presale.list",
    "tags": [
     "presale"
    ],
    "summary": "Launchpad campaigns.",
    "x-credits": {
     "base": 250,
     "perItem": 10,
     "items": "data",
     "maxItems": 50
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most presales to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 50
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/PresaleList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/presales/{chainId}/{pool}": {
   "get": {
    "operationId": "presale.get",
    "tags": [
     "presale"
    ],
    "summary": "One launchpad campaign, by its pool address.",
    "x-credits": {
     "base": 200,
     "perItem": 0
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "name": "pool",
      "in": "path",
      "required": true,
      "description": "Presale pool address.",
      "schema": {
       "$ref": "#/components/schemas/Address"
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/Presale"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/balances/{chainId}/{address}": {
   "get": {
    "operationId": "balances.get",
    "tags": [
     "balances"
    ],
    "summary": "What an address holds, as last recorded; not refreshed, not priced.",
    "x-credits": {
     "base": 800,
     "perItem": 10,
     "items": "data.balances",
     "maxItems": 200
    },
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     },
     {
      "name": "limit",
      "in": "query",
      "description": "Most tokens to return.",
      "schema": {
       "type": "integer",
       "minimum": 1,
       "maximum": 200
      }
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/BalanceDocument"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/tokens/{chainId}/{address}/liquidity-locks": {
   "get": {
    "operationId": "locks.get",
    "tags": [
     "locks"
    ],
    "summary": "Locked liquidity of a token and when it unlocks.",
    "description": "Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.",
    "x-credits": {
     "base": 2000,
     "perItem": 0
    },
    "x-heavy": true,
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     },
     {
      "$ref": "#/components/parameters/address"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/LockList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "404": {
      "$ref": "#/components/responses/NotFound"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "503": {
      "$ref": "#/components/responses/ServerBusy"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/farms/{chainId}": {
   "get": {
    "operationId": "farm.list",
    "tags": [
     "farm"
    ],
    "summary": "Active yield farms and what they pay; there is no filter by account.",
    "description": "Heavy; at most two heavy calls are in flight across all keys, a further one can be refused with 503 server_busy.",
    "x-credits": {
     "base": 3000,
     "perItem": 0
    },
    "x-heavy": true,
    "parameters": [
     {
      "$ref": "#/components/parameters/chainId"
     }
    ],
    "responses": {
     "200": {
      "$ref": "#/components/responses/FarmList"
     },
     "400": {
      "$ref": "#/components/responses/InvalidRequest"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "402": {
      "$ref": "#/components/responses/InsufficientCredits"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "503": {
      "$ref": "#/components/responses/ServerBusy"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/me": {
   "get": {
    "operationId": "account.me",
    "tags": [
     "account"
    ],
    "summary": "Credit balance and tier of the calling key.",
    "x-free": true,
    "responses": {
     "200": {
      "$ref": "#/components/responses/Account"
     },
     "401": {
      "$ref": "#/components/responses/Unauthorized"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  },
  "/openapi.json": {
   "get": {
    "operationId": "meta.openapi",
    "tags": [
     "meta"
    ],
    "summary": "The service's own description of its interface.",
    "description": "Needs no key. Whether the document comes in the envelope or bare is not known, so both are understood.",
    "x-free": true,
    "x-may-be-bare": "openapi",
    "security": [],
    "responses": {
     "200": {
      "$ref": "#/components/responses/OpenApiDocument"
     },
     "429": {
      "$ref": "#/components/responses/RateLimited"
     },
     "5XX": {
      "$ref": "#/components/responses/Failure"
     }
    }
   }
  }
 },
 "components": {
  "securitySchemes": {
   "apiKey": {
    "type": "http",
    "scheme": "bearer",
    "description": "An API key, as `Authorization: Bearer <key>`."
   }
  },
  "parameters": {
   "chainId": {
    "name": "chainId",
    "in": "path",
    "required": true,
    "description": "The chain; only 52014 exists.",
    "schema": {
     "type": "integer",
     "const": 52014
    }
   },
   "address": {
    "name": "address",
    "in": "path",
    "required": true,
    "description": "An address; goes out in EIP-55 checksum form.",
    "schema": {
     "$ref": "#/components/schemas/Address"
    }
   },
   "currency": {
    "name": "currency",
    "in": "query",
    "description": "Quote currency. The service takes USD when it is left out.",
    "schema": {
     "type": "string",
     "enum": [
      "USD",
      "ETN"
     ]
    }
   }
  },
  "headers": {
   "CreditsCost": {
    "description": "Credits that this call was charged; on every metered success, on nothing else.",
    "required": true,
    "schema": {
     "type": "integer",
     "minimum": 0
    }
   },
   "CreditsRemaining": {
    "description": "Credits left on the key after this call; on every metered success, on nothing else.",
    "required": true,
    "schema": {
     "type": "integer"
    }
   },
   "RetryAfter": {
    "description": "When to try again, in seconds or as an HTTP-date (RFC 9110, section 10.2.3).",
    "schema": {
     "type": "string"
    }
   }
  },
  "responses": {
   "EtnPrice": {
    "description": "Spot price.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/EtnPrice",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "PriceBatch": {
    "description": "Prices keyed by lower-cased address.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/PriceBatch",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "TokenPrice": {
    "description": "Price of a token.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/TokenPrice",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "TokenList": {
    "description": "Tokens.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/Token"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "Token": {
    "description": "A token.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/TokenDetails",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "CandleList": {
    "description": "Candles.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/Candle"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "TokenHistory": {
    "description": "Price history.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/TokenHistory",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "PoolList": {
    "description": "Pools.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/Pool"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "TradeList": {
    "description": "Trades, newest first.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/Trade"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": [
          "string",
          "null"
         ],
         "x-evidence": "documented",
         "description": "For information only; no route accepts it."
        }
       }
      }
     }
    }
   },
   "NftStats": {
    "description": "Totals.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/NftStats",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "NftCollectionList": {
    "description": "Collections.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/NftCollection"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "NftCollection": {
    "description": "A collection.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/NftCollectionDetails",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "NftAssetList": {
    "description": "Assets.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/NftAsset"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "PresaleList": {
    "description": "Presales.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/Presale"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "Presale": {
    "description": "A presale.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/Presale",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "BalanceDocument": {
    "description": "Balances.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/BalanceDocument",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "LockList": {
    "description": "Locks.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/LiquidityLock"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "FarmList": {
    "description": "Farms.",
    "headers": {
     "X-Credits-Cost": {
      "$ref": "#/components/headers/CreditsCost"
     },
     "X-Credits-Remaining": {
      "$ref": "#/components/headers/CreditsRemaining"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data",
        "cursor"
       ],
       "properties": {
        "data": {
         "type": "array",
         "items": {
          "$ref": "#/components/schemas/Farm"
         },
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "documented"
        }
       }
      }
     }
    }
   },
   "Account": {
    "description": "Credits and tier.",
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/Account",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "OpenApiDocument": {
    "description": "An OpenAPI document.",
    "content": {
     "application/json": {
      "schema": {
       "type": "object",
       "required": [
        "data"
       ],
       "properties": {
        "data": {
         "$ref": "#/components/schemas/OpenApiDocument",
         "x-evidence": "observed"
        },
        "cursor": {
         "type": "null",
         "x-evidence": "observed",
         "x-may-be-absent": "promised for lists only"
        }
       }
      }
     }
    }
   },
   "InvalidRequest": {
    "description": "A parameter was not accepted (`invalid_request`, or `invalid_limit` for a limit above the maximum). Not charged.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   },
   "Unauthorized": {
    "description": "The key is missing or unknown (the status is assumed). Not charged.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   },
   "InsufficientCredits": {
    "description": "The key has too few credits; nothing was executed (the status is assumed). Not charged.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   },
   "NotFound": {
    "description": "No such token, collection or pool (status and code are assumed). Not charged.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   },
   "RateLimited": {
    "description": "Too many calls. About twenty refusals within a minute lock the key for a quarter of an hour. Not charged.",
    "headers": {
     "Retry-After": {
      "$ref": "#/components/headers/RetryAfter"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   },
   "ServerBusy": {
    "description": "The service answers `server_busy`; the heavy routes are at their concurrency limit. Not charged.",
    "headers": {
     "Retry-After": {
      "$ref": "#/components/headers/RetryAfter"
     }
    },
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   },
   "Failure": {
    "description": "The service failed. Not charged.",
    "content": {
     "application/json": {
      "schema": {
       "$ref": "#/components/schemas/ErrorEnvelope"
      }
     }
    }
   }
  },
  "schemas": {
   "Address": {
    "type": "string",
    "format": "address",
    "pattern": "^0x[0-9a-fA-F]{40}$",
    "description": "0x and 40 hex digits; mixed case must be a valid EIP-55 checksum."
   },
   "ErrorEnvelope": {
    "type": "object",
    "description": "The body of every error.",
    "required": [
     "error"
    ],
    "properties": {
     "error": {
      "type": "object",
      "x-evidence": "observed",
      "required": [
       "code",
       "message"
      ],
      "properties": {
       "code": {
        "type": "string",
        "description": "Compare without regard to case.",
        "x-evidence": "observed"
       },
       "message": {
        "type": "string",
        "x-evidence": "observed"
       }
      }
     }
    }
   },
   "EtnPrice": {
    "type": "object",
    "description": "Spot price of ETN.",
    "properties": {
     "usd": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "USD for one ETN.",
      "x-evidence": "assumed"
     }
    }
   },
   "TokenPrice": {
    "type": "object",
    "description": "Price of one token. The price in either currency may be missing.",
    "required": [
     "address"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "The token's address.",
      "x-evidence": "observed"
     },
     "usd": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "USD for one token.",
      "x-evidence": "observed",
      "x-may-be-absent": "either price may be missing"
     },
     "etn": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "ETN for one token.",
      "x-evidence": "observed",
      "x-may-be-absent": "either price may be missing"
     }
    }
   },
   "BatchPrice": {
    "type": "object",
    "description": "One entry of a batch of prices.",
    "properties": {
     "usd": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "USD for one token.",
      "x-evidence": "observed",
      "x-may-be-absent": "either price may be missing"
     },
     "etn": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "ETN for one token.",
      "x-evidence": "observed",
      "x-may-be-absent": "either price may be missing"
     }
    }
   },
   "PriceBatch": {
    "type": "object",
    "description": "Prices keyed by lower-cased token address; a token without a price is absent.",
    "additionalProperties": {
     "$ref": "#/components/schemas/BatchPrice"
    }
   },
   "Token": {
    "type": "object",
    "description": "A listed token.",
    "required": [
     "address",
     "name",
     "symbol",
     "decimals",
     "totalSupply"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "EIP-55 address.",
      "x-evidence": "observed"
     },
     "name": {
      "type": "string",
      "x-evidence": "observed"
     },
     "symbol": {
      "type": "string",
      "x-evidence": "observed"
     },
     "decimals": {
      "type": "integer",
      "description": "Decimal places of the smallest unit.",
      "x-evidence": "observed"
     },
     "totalSupply": {
      "type": "number",
      "description": "Supply in whole tokens.",
      "x-evidence": "observed"
     }
    }
   },
   "TokenDetails": {
    "type": "object",
    "description": "A listed token with its last price.",
    "required": [
     "address",
     "name",
     "symbol",
     "decimals",
     "totalSupply"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "EIP-55 address.",
      "x-evidence": "observed"
     },
     "name": {
      "type": "string",
      "x-evidence": "observed"
     },
     "symbol": {
      "type": "string",
      "x-evidence": "observed"
     },
     "decimals": {
      "type": "integer",
      "description": "Decimal places of the smallest unit.",
      "x-evidence": "observed"
     },
     "totalSupply": {
      "type": "number",
      "description": "Supply in whole tokens.",
      "x-evidence": "observed"
     },
     "usd": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "Last price in USD; that there is one is documented, its name is not.",
      "x-evidence": "assumed"
     },
     "etn": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "Last price in ETN; that there is one is documented, its name is not.",
      "x-evidence": "assumed"
     }
    }
   },
   "Candle": {
    "type": "object",
    "description": "One OHLCV bucket.",
    "required": [
     "time",
     "open",
     "high",
     "low",
     "close",
     "volume",
     "count"
    ],
    "properties": {
     "time": {
      "type": "integer",
      "description": "Start of the bucket, unix seconds.",
      "x-evidence": "observed"
     },
     "open": {
      "type": "number",
      "description": "First price, in the quote currency.",
      "x-evidence": "observed"
     },
     "high": {
      "type": "number",
      "description": "Highest price, in the quote currency.",
      "x-evidence": "observed"
     },
     "low": {
      "type": "number",
      "description": "Lowest price, in the quote currency.",
      "x-evidence": "observed"
     },
     "close": {
      "type": "number",
      "description": "Last price, in the quote currency.",
      "x-evidence": "observed"
     },
     "volume": {
      "type": "number",
      "description": "Volume of the bucket.",
      "x-evidence": "observed"
     },
     "count": {
      "type": "integer",
      "description": "Trades in the bucket.",
      "x-evidence": "observed"
     }
    }
   },
   "TokenHistory": {
    "type": "object",
    "description": "Price history over a window. What it holds is documented, the names are not.",
    "properties": {
     "prices": {
      "type": [
       "array",
       "null"
      ],
      "description": "The prices over the window.",
      "x-evidence": "assumed",
      "items": {
       "$ref": "#/components/schemas/PricePoint"
      }
     },
     "volume": {
      "type": [
       "number",
       "null"
      ],
      "description": "Volume over the window.",
      "x-evidence": "assumed"
     },
     "high": {
      "type": [
       "number",
       "null"
      ],
      "description": "Highest price over the window.",
      "x-evidence": "assumed"
     },
     "low": {
      "type": [
       "number",
       "null"
      ],
      "description": "Lowest price over the window.",
      "x-evidence": "assumed"
     }
    }
   },
   "PricePoint": {
    "type": "object",
    "description": "A price at a moment.",
    "properties": {
     "timestamp": {
      "type": [
       "integer",
       "null"
      ],
      "description": "Unix seconds.",
      "x-evidence": "assumed"
     },
     "value": {
      "type": [
       "number",
       "null"
      ],
      "description": "Price in the quote currency.",
      "x-evidence": "assumed"
     }
    }
   },
   "Pool": {
    "type": "object",
    "description": "A liquidity pool. Neither reserves nor a liquidity figure are given.",
    "required": [
     "address",
     "chainId",
     "version",
     "token0",
     "token1"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "Pool address.",
      "x-evidence": "observed"
     },
     "chainId": {
      "type": "integer",
      "x-evidence": "observed"
     },
     "version": {
      "type": "integer",
      "description": "2 or 3.",
      "x-evidence": "observed"
     },
     "token0": {
      "$ref": "#/components/schemas/PoolToken",
      "x-evidence": "observed"
     },
     "token1": {
      "$ref": "#/components/schemas/PoolToken",
      "x-evidence": "observed"
     }
    }
   },
   "PoolToken": {
    "type": "object",
    "description": "One side of a pool.",
    "required": [
     "address",
     "name",
     "symbol",
     "decimals",
     "chainId",
     "blockAdded",
     "deployer",
     "totalSupply"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "EIP-55 address.",
      "x-evidence": "observed"
     },
     "name": {
      "type": "string",
      "x-evidence": "observed"
     },
     "symbol": {
      "type": "string",
      "x-evidence": "observed"
     },
     "decimals": {
      "type": "integer",
      "description": "Decimal places of the smallest unit.",
      "x-evidence": "observed"
     },
     "chainId": {
      "type": "integer",
      "x-evidence": "observed"
     },
     "blockAdded": {
      "type": "integer",
      "description": "Block in which the token was first seen.",
      "x-evidence": "observed"
     },
     "deployer": {
      "type": "string",
      "description": "Address that deployed the token.",
      "x-evidence": "observed"
     },
     "totalSupply": {
      "type": "number",
      "description": "Supply in whole tokens.",
      "x-evidence": "observed"
     }
    }
   },
   "Trade": {
    "type": "object",
    "description": "A swap. Every name here is assumed.",
    "properties": {
     "hash": {
      "type": [
       "string",
       "null"
      ],
      "description": "Transaction hash.",
      "x-evidence": "assumed"
     },
     "timestamp": {
      "type": [
       "integer",
       "null"
      ],
      "description": "Unix seconds.",
      "x-evidence": "assumed"
     },
     "pool": {
      "type": [
       "string",
       "null"
      ],
      "description": "Pool address.",
      "x-evidence": "assumed"
     },
     "token0": {
      "type": [
       "string",
       "null"
      ],
      "description": "Address of the pool's first token.",
      "x-evidence": "assumed"
     },
     "token1": {
      "type": [
       "string",
       "null"
      ],
      "description": "Address of the pool's second token.",
      "x-evidence": "assumed"
     },
     "amount0": {
      "type": [
       "string",
       "null"
      ],
      "description": "Amount of token0.",
      "x-evidence": "assumed"
     },
     "amount1": {
      "type": [
       "string",
       "null"
      ],
      "description": "Amount of token1.",
      "x-evidence": "assumed"
     },
     "usd": {
      "type": [
       "string",
       "null"
      ],
      "format": "decimal",
      "description": "Value of the swap in USD.",
      "x-evidence": "assumed"
     },
     "sender": {
      "type": [
       "string",
       "null"
      ],
      "description": "Address that swapped.",
      "x-evidence": "assumed"
     }
    }
   },
   "NftStats": {
    "type": "object",
    "description": "Totals of the NFT marketplace.",
    "required": [
     "updatedAt",
     "collections"
    ],
    "properties": {
     "updatedAt": {
      "type": "string",
      "description": "When the totals were made, ISO 8601.",
      "x-evidence": "observed"
     },
     "collections": {
      "type": "array",
      "x-evidence": "observed",
      "items": {
       "$ref": "#/components/schemas/NftCollectionTotals"
      }
     }
    }
   },
   "NftCollectionTotals": {
    "type": "object",
    "description": "Totals of one collection.",
    "required": [
     "address",
     "name",
     "symbol",
     "image",
     "floorPrice",
     "uniqueOwners",
     "listingCount"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "Collection address.",
      "x-evidence": "observed"
     },
     "name": {
      "type": "string",
      "x-evidence": "observed"
     },
     "symbol": {
      "type": "string",
      "x-evidence": "observed"
     },
     "image": {
      "type": [
       "string",
       "null"
      ],
      "description": "URL of the collection's picture.",
      "x-evidence": "observed"
     },
     "floorPrice": {
      "type": [
       "number",
       "null"
      ],
      "description": "Lowest asking price in ETN, or null.",
      "x-evidence": "observed"
     },
     "uniqueOwners": {
      "type": "integer",
      "x-evidence": "observed"
     },
     "listingCount": {
      "type": "integer",
      "x-evidence": "observed"
     }
    }
   },
   "NftCollection": {
    "type": "object",
    "description": "Identity of an NFT collection.",
    "required": [
     "address",
     "name",
     "symbol",
     "totalSupply"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "Collection address.",
      "x-evidence": "observed"
     },
     "name": {
      "type": "string",
      "x-evidence": "observed"
     },
     "symbol": {
      "type": "string",
      "x-evidence": "observed"
     },
     "totalSupply": {
      "type": "number",
      "description": "Assets in the collection.",
      "x-evidence": "observed"
     }
    }
   },
   "NftCollectionDetails": {
    "type": "object",
    "description": "An NFT collection with its figures.",
    "required": [
     "address",
     "name",
     "symbol",
     "totalSupply",
     "stats"
    ],
    "properties": {
     "address": {
      "type": "string",
      "description": "Collection address.",
      "x-evidence": "observed"
     },
     "name": {
      "type": "string",
      "x-evidence": "observed"
     },
     "symbol": {
      "type": "string",
      "x-evidence": "observed"
     },
     "totalSupply": {
      "type": "number",
      "description": "Assets in the collection.",
      "x-evidence": "observed"
     },
     "stats": {
      "$ref": "#/components/schemas/NftCollectionStats",
      "x-evidence": "observed"
     }
    }
   },
   "NftCollectionStats": {
    "type": "object",
    "description": "Figures of one NFT collection.",
    "required": [
     "floorPrice",
     "uniqueOwners",
     "listingCount"
    ],
    "properties": {
     "floorPrice": {
      "type": [
       "number",
       "null"
      ],
      "description": "Lowest asking price in ETN, or null.",
      "x-evidence": "observed"
     },
     "uniqueOwners": {
      "type": "integer",
      "x-evidence": "observed"
     },
     "listingCount": {
      "type": "integer",
      "x-evidence": "observed"
     },
     "volume": {
      "type": [
       "number",
       "null"
      ],
      "description": "Volume in ETN; that there is one is documented, its name is not.",
      "x-evidence": "assumed"
     }
    }
   },
   "NftAsset": {
    "type": "object",
    "description": "An asset inside a collection.",
    "properties": {
     "tokenId": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "name": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "description": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "image": {
      "type": [
       "string",
       "null"
      ],
      "description": "URL of the asset's picture.",
      "x-evidence": "inferred"
     },
     "ownerAddress": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "lastPrice": {
      "type": [
       "number",
       "null"
      ],
      "description": "Last sale in ETN, or null.",
      "x-evidence": "inferred"
     },
     "traits": {
      "type": [
       "array",
       "null"
      ],
      "x-evidence": "inferred",
      "items": {
       "$ref": "#/components/schemas/NftTrait"
      }
     }
    }
   },
   "NftTrait": {
    "type": "object",
    "description": "A trait of an asset.",
    "properties": {
     "name": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "value": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "rarity": {
      "type": [
       "number",
       "null"
      ],
      "description": "Share of the collection that has it.",
      "x-evidence": "inferred"
     }
    }
   },
   "Presale": {
    "type": "object",
    "description": "A launchpad campaign. That it has a pool, a token and a status is documented; the other names are inferred.",
    "required": [
     "pool",
     "status",
     "token"
    ],
    "properties": {
     "id": {
      "type": [
       "string",
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "pool": {
      "type": "string",
      "description": "Presale pool address.",
      "x-evidence": "documented"
     },
     "status": {
      "type": "string",
      "description": "An open set; further values may come.",
      "x-open-enum": [
       "PENDING",
       "ACTIVE",
       "LAUNCHED",
       "FAILED",
       "CANCELLED"
      ],
      "x-evidence": "documented"
     },
     "token": {
      "$ref": "#/components/schemas/PresaleToken",
      "x-evidence": "documented"
     },
     "campaign": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/PresaleCampaign"
       },
       {
        "type": "null"
       }
      ],
      "x-evidence": "inferred"
     }
    }
   },
   "PresaleToken": {
    "type": "object",
    "description": "The token of a presale.",
    "properties": {
     "name": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "symbol": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "decimals": {
      "type": [
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "totalSupply": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "address": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "liquidityPool": {
      "type": [
       "string",
       "null"
      ],
      "description": "Pool in which the token trades after launch.",
      "x-evidence": "inferred"
     }
    }
   },
   "PresaleCampaign": {
    "type": "object",
    "description": "The terms of a presale and how it goes.",
    "properties": {
     "creator": {
      "type": [
       "string",
       "null"
      ],
      "description": "Address that started the campaign.",
      "x-evidence": "inferred"
     },
     "description": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "website": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "starts": {
      "type": [
       "integer",
       "string",
       "null"
      ],
      "description": "When it starts.",
      "x-evidence": "inferred"
     },
     "ends": {
      "type": [
       "integer",
       "string",
       "null"
      ],
      "description": "When it ends.",
      "x-evidence": "inferred"
     },
     "etnRaised": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "description": "ETN raised so far.",
      "x-evidence": "inferred"
     },
     "minEtnToLaunch": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "description": "ETN it takes to launch.",
      "x-evidence": "inferred"
     },
     "minEtnToList": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "description": "ETN it takes to be listed.",
      "x-evidence": "inferred"
     },
     "contributorCount": {
      "type": [
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "maxBuy": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "description": "Most ETN one address may put in.",
      "x-evidence": "inferred"
     }
    }
   },
   "BalanceDocument": {
    "type": "object",
    "description": "What an address holds, as last recorded.",
    "required": [
     "address",
     "updated",
     "balances"
    ],
    "properties": {
     "address": {
      "type": "string",
      "x-evidence": "observed"
     },
     "updated": {
      "type": "integer",
      "description": "When it was recorded, unix milliseconds.",
      "x-evidence": "observed"
     },
     "balances": {
      "type": "object",
      "description": "By EIP-55 token address. The entries are the items that are charged.",
      "x-evidence": "observed",
      "additionalProperties": {
       "$ref": "#/components/schemas/TokenBalance"
      }
     }
    }
   },
   "TokenBalance": {
    "type": "object",
    "description": "Balance of one token.",
    "required": [
     "balance",
     "blockUpdated"
    ],
    "properties": {
     "balance": {
      "type": "string",
      "description": "Amount in the smallest unit, hex with 0x.",
      "x-evidence": "observed"
     },
     "blockUpdated": {
      "type": "integer",
      "description": "Block of the last change.",
      "x-evidence": "observed"
     }
    }
   },
   "LiquidityLock": {
    "type": "object",
    "description": "A liquidity lock; it unlocks at `created + duration`.",
    "required": [
     "lockId",
     "pair",
     "owner",
     "created",
     "duration",
     "token0",
     "token1",
     "amountToken0",
     "amountToken1",
     "percentSupply",
     "active",
     "version"
    ],
    "properties": {
     "lockId": {
      "type": [
       "string",
       "integer"
      ],
      "x-evidence": "observed"
     },
     "pair": {
      "type": "string",
      "description": "Address of the locked pair.",
      "x-evidence": "observed"
     },
     "owner": {
      "type": "string",
      "description": "Address that owns the lock.",
      "x-evidence": "observed"
     },
     "created": {
      "type": "integer",
      "description": "When it was locked, unix seconds.",
      "x-evidence": "observed"
     },
     "duration": {
      "type": "integer",
      "description": "How long it is locked, seconds.",
      "x-evidence": "observed"
     },
     "token0": {
      "type": "string",
      "x-evidence": "observed"
     },
     "token1": {
      "type": "string",
      "x-evidence": "observed"
     },
     "amountToken0": {
      "type": "string",
      "description": "Amount in the smallest unit.",
      "x-evidence": "observed"
     },
     "amountToken1": {
      "type": "string",
      "description": "Amount in the smallest unit.",
      "x-evidence": "observed"
     },
     "percentSupply": {
      "type": "number",
      "description": "Share of the pair's supply that is locked.",
      "x-evidence": "observed"
     },
     "active": {
      "type": "boolean",
      "x-evidence": "observed"
     },
     "version": {
      "type": "string",
      "description": "V2 or V3.",
      "x-open-enum": [
       "V2",
       "V3"
      ],
      "x-evidence": "observed"
     }
    }
   },
   "Farm": {
    "type": "object",
    "description": "A yield farm. That farms are listed with what they pay is documented; the names are inferred.",
    "properties": {
     "id": {
      "type": [
       "string",
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "version": {
      "type": [
       "string",
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "name": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "poolAddr": {
      "type": [
       "string",
       "null"
      ],
      "description": "Pool that is farmed.",
      "x-evidence": "inferred"
     },
     "liquidity": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "allocation": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "description": "The farm's share of rewards.",
      "x-evidence": "inferred"
     },
     "farmerCount": {
      "type": [
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "token0": {
      "type": [
       "string",
       "object",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "token1": {
      "type": [
       "string",
       "object",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "fee": {
      "type": [
       "number",
       "null"
      ],
      "description": "Fee of the pool.",
      "x-evidence": "inferred"
     },
     "active": {
      "type": [
       "boolean",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "tvl": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "description": "Value locked in USD.",
      "x-evidence": "inferred"
     },
     "baseRewardApy": {
      "type": [
       "number",
       "null"
      ],
      "description": "Yearly reward in per cent.",
      "x-evidence": "inferred"
     },
     "thirdPartyRewardApy": {
      "type": [
       "number",
       "null"
      ],
      "description": "Yearly reward of a third party in per cent.",
      "x-evidence": "inferred"
     },
     "thirdPartyReward": {
      "anyOf": [
       {
        "$ref": "#/components/schemas/ThirdPartyReward"
       },
       {
        "type": "null"
       }
      ],
      "x-evidence": "inferred"
     }
    }
   },
   "ThirdPartyReward": {
    "type": "object",
    "description": "What a third party adds to a farm.",
    "properties": {
     "token": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "symbol": {
      "type": [
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "tokensPerBlock": {
      "type": [
       "number",
       "string",
       "null"
      ],
      "x-evidence": "inferred"
     },
     "endBlock": {
      "type": [
       "integer",
       "null"
      ],
      "x-evidence": "inferred"
     }
    }
   },
   "Account": {
    "type": "object",
    "description": "The caller's credits and tier. That both are given is documented, the names are not.",
    "properties": {
     "credits": {
      "type": [
       "number",
       "null"
      ],
      "description": "Credits left on the key.",
      "x-evidence": "assumed"
     },
     "tier": {
      "type": [
       "string",
       "null"
      ],
      "description": "Tier of the key.",
      "x-evidence": "assumed"
     }
    }
   },
   "OpenApiDocument": {
    "type": "object",
    "description": "An OpenAPI document.",
    "required": [
     "openapi"
    ],
    "properties": {
     "openapi": {
      "type": "string",
      "description": "Version of the OpenAPI format.",
      "x-evidence": "observed"
     }
    }
   }
  }
 }
}
