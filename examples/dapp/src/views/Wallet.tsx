import { useQuery } from '@tanstack/react-query'
import { checksumAddress, isAddress } from 'etn-market'
import { useMarket } from '../market.ts'
import { AddressForm } from '../parts/AddressForm.tsx'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { allTokensQuery, balancesQuery } from '../purchases.ts'
import { Holdings } from './Holdings.tsx'

/** Wallets that the fake service knows. */
const EXAMPLES: Readonly<Record<string, string>> = __DEMO__
  ? {
      'a wallet with everything': '0xFeEdBeEf00000000000000000000000000000001',
      'an empty wallet': '0x0000000000000000000000000000000000000000',
    }
  : {}

/** More than a screen has room for. */
const ROWS = { of: 'rows', count: 20 } as const

/** What a wallet holds, and what it is worth. */
export function Wallet({ address }: { address: string | undefined }) {
  const { queries } = useMarket()
  const wallet = address && isAddress(address) ? checksumAddress(address) : undefined
  return (
    <>
      <ViewHeader title="Wallet">
        Balances as last recorded, at live prices. The address goes to the proxy and to the service.
      </ViewHeader>
      <AddressForm
        view="wallet"
        current={address}
        label="Address of a wallet"
        action="Show balances"
        examples={EXAMPLES}
        buys={(each) => [balancesQuery(queries, each), allTokensQuery(queries)]}
      />
      {wallet && <Balances key={wallet} wallet={wallet} />}
    </>
  )
}

function Balances({ wallet }: { wallet: string }) {
  const { queries } = useMarket()
  const [ofWallet, ofTokens] = [balancesQuery(queries, wallet), allTokensQuery(queries)]
  const balances = useQuery(ofWallet)
  const tokens = useQuery(ofTokens)
  return (
    <Loaded query={balances} loading={ROWS} buys={[ofWallet]}>
      {(document) =>
        Object.keys(document.balances).length === 0 ? (
          <Empty title="This wallet holds no tokens">Nothing is recorded for it.</Empty>
        ) : (
          <Loaded query={tokens} loading={ROWS} buys={[ofTokens]}>
            {(list) => <Holdings document={document} tokens={list} />}
          </Loaded>
        )
      }
    </Loaded>
  )
}
