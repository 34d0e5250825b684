import { formatPrice } from 'etn-market/format'
import { usePrices } from 'etn-market/react'
import { createPriceStream } from 'etn-market/stream'
import { fetch } from 'expo/fetch'
import { AppState, FlatList, Text, View } from 'react-native'

/** The address of your proxy: the key of the service is there, and none is in the app. */
const PROXY = 'https://wallet.example/api/market'

// A stream needs a fetch that brings a body while it arrives. While the app is in the background, there is no stream.
const stream = createPriceStream({ url: PROXY, fetch, whenHidden: AppState })

/** What a wallet holds. */
export interface Holding {
  token: string
  symbol: string
  amount: number
}

export function Wallet({ holdings }: { holdings: readonly Holding[] }) {
  const prices = usePrices(
    stream,
    holdings.map(({ token }) => token),
    { everyMs: 60_000 },
  )
  return (
    <FlatList
      data={holdings}
      keyExtractor={({ token }) => token}
      renderItem={({ item: { token, symbol, amount } }) => {
        const price = prices[token]
        const usd = price?.usd == null ? undefined : Number(price.usd) * amount
        return (
          <View>
            <Text>{`${amount} ${symbol}`}</Text>
            <Text style={{ opacity: price?.stale ? 0.5 : 1 }}>{formatPrice(usd)}</Text>
          </View>
        )
      }}
    />
  )
}
