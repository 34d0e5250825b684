export interface NftCollectionTotals {
  address: string
  name: string
  symbol: string
  image: string | null
  floorPrice: number | null
  uniqueOwners: number
  listingCount: number
}

export interface NftStats {
  updatedAt: string
  collections: NftCollectionTotals[]
}

export interface NftCollection {
  address: string
  name: string
  symbol: string
  totalSupply: number
}

export interface NftCollectionDetails extends NftCollection {
  stats: {
    floorPrice: number | null
    uniqueOwners: number
    listingCount: number
    volume?: number | null
  }
}

export interface NftAsset {
  tokenId?: string | null
  name?: string | null
  description?: string | null
  image?: string | null
  ownerAddress?: string | null
  lastPrice?: number | null
  traits?: { name?: string | null; value?: string | null; rarity?: number | null }[] | null
}
