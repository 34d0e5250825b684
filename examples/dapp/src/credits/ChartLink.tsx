import { memo, type ReactNode } from 'react'
import { useMarket } from '../market.ts'
import { Name, nameOf } from '../parts/names.tsx'
import { TokenName } from '../parts/TokenName.tsx'
import { queriesOf } from '../purchases.ts'
import { hrefOf } from '../router.ts'
import { Cost } from './Cost.tsx'

interface ChartLinkProps {
  address: string
  symbol: string
  name: string
  /** What stands for the symbol, such as a pair. @default the symbol */
  title?: ReactNode
}

/**
 * A token as a link to its chart. What that costs takes the place of the name while the link is pointed at or has the focus. It is not
 * rendered again when a price of its table arrives.
 */
export const ChartLink = memo(function ChartLink({ address, symbol, name, title }: ChartLinkProps) {
  const { queries } = useMarket()
  return (
    <a className="chart-link" href={hrefOf('candles', address)}>
      <TokenName address={address} symbol={symbol} name={name} title={title}>
        <span className="chart-cost">
          {title && (
            <>
              <Name>{nameOf(symbol, address)}</Name>{' '}
            </>
          )}
          Chart: <Cost of={queriesOf('candles', queries, address)} />
        </span>
      </TokenName>
    </a>
  )
})
