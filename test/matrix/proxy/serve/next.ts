import { openMarket } from './market.ts'

// The key and the address of the service are in the environment.
const { proxy } = openMarket(undefined, undefined)

export { proxy as DELETE, proxy as GET, proxy as HEAD, proxy as OPTIONS, proxy as PATCH, proxy as POST, proxy as PUT }
