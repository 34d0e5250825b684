import { tagScript } from '../tagged-script.ts'
import { CLOCK, LEASES_IN_TIME } from './clock.lua.ts'

/**
 * Leases of the feed: who buys the price of an address. KEYS: ends (a sorted set), owners (a hash).
 * ARGV: owner, leaseMs, addresses. A leaseMs of 0 ends the owner's leases. Answers 1 for each address that the owner may buy.
 */
export const BUY = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${CLOCK}${LEASES_IN_TIME}
local owner, leaseMs = ARGV[1], tonumber(ARGV[2])
if leaseMs > 0 then shorten(KEYS[1], leaseMs) end
local ended = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(now), 'LIMIT', 0, 100)
for _, address in ipairs(ended) do
  redis.call('ZREM', KEYS[1], address)
  redis.call('HDEL', KEYS[2], address)
end
local reply = {}
for index = 3, #ARGV do
  local address = ARGV[index]
  local holder = redis.call('HGET', KEYS[2], address)
  local isFree = not holder or holder == owner or tonumber(redis.call('ZSCORE', KEYS[1], address) or 0) <= now
  if isFree and leaseMs > 0 then
    redis.call('ZADD', KEYS[1], text(now + leaseMs), address)
    redis.call('HSET', KEYS[2], address, owner)
  elseif holder == owner then
    redis.call('ZREM', KEYS[1], address)
    redis.call('HDEL', KEYS[2], address)
  end
  reply[#reply + 1] = isFree and 1 or 0
end
return reply
`)
