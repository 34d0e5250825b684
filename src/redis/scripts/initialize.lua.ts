import { tagScript } from '../tagged-script.ts'

/** Creates the state where there is none. KEYS: state, operations, leases, ends, balances. ARGV: config, a new epoch. */
export const INITIALIZE = /* @__PURE__ */ tagScript(`#!lua
local config = redis.call('HGET', KEYS[1], 'config')
if config then
  if config ~= ARGV[1] then return redis.error_reply('MISMATCH ' .. config) end
  return 'unchanged'
end
redis.call('DEL', unpack(KEYS))
redis.call('HSET', KEYS[1], 'config', ARGV[1], 'epoch', ARGV[2])
return 'created'
`)
