export { proxy } from '../market-proxy.ts'
