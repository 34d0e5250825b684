import { proxy } from '../../../../market-proxy'

export { proxy as GET, proxy as HEAD, proxy as OPTIONS }
