import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { formatPrice } from 'etn-market/format'
import type { EtnQueries } from 'etn-market/tanstack-query'

interface PriceProps {
  readonly queries: EtnQueries
  readonly address: string
}

function Price({ queries, address }: PriceProps) {
  const { data, error } = useQuery(queries.token.price({ address }))
  return <p>{error ? error.message : formatPrice(data?.usd)}</p>
}

/** The same elements on the server and in the browser. */
export function Page({ queryClient, ...props }: PriceProps & { readonly queryClient: QueryClient }) {
  return (
    <QueryClientProvider client={queryClient}>
      <Price {...props} />
    </QueryClientProvider>
  )
}
