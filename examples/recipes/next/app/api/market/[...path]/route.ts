import { proxy } from '../../../../../market-proxy.ts'

export const dynamic = 'force-dynamic'
export { proxy as GET, proxy as HEAD, proxy as OPTIONS }
