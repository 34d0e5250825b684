import { proxy } from '../../../../market-proxy'

export const dynamic = 'force-dynamic'
export { proxy as GET, proxy as HEAD, proxy as OPTIONS }
