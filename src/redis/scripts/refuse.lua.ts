import { MAX_ESCALATED_WAIT_MS, MAX_PLAIN_REFUSALS, MIN_ESCALATED_WAIT_MS } from '../../concurrency/refusal-window.ts'
import { tagScript } from '../tagged-script.ts'
import { LIMITS } from './limits.lua.ts'

/**
 * The service refused a request: starts a cool-down of a scope, and gives back what the request holds. Several refusals within a minute make it longer.
 * ARGV: id, key scope, 'key' or 'heavy', wait in ms, leaseMs, ids of requests that were sent without asking.
 */
export const REFUSE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LIMITS}
local MAX_PLAIN_REFUSALS, MIN_ESCALATED_WAIT, MAX_ESCALATED_WAIT = ${MAX_PLAIN_REFUSALS}, ${MIN_ESCALATED_WAIT_MS}, ${MAX_ESCALATED_WAIT_MS}

local id, leaseMs = ARGV[1], tonumber(ARGV[5])
local key, heavy = scopeOf(ARGV[2], 8), scopeOf('heavy', 11)
local scope = ARGV[3] == 'key' and key or heavy
local isKnown = redis.call('ZSCORE', scope.refusals, id)
leave(id)
endProbe(key, id, 'failed')
endProbe(heavy, id, 'failed')
countUnasked(key, 6, leaseMs)
if isKnown then return answer('known', scope.till - now) end

redis.call('ZADD', scope.refusals, text(now), id)
prune(scope)
local beyond = redis.call('ZCARD', scope.refusals) - MAX_PLAIN_REFUSALS
local escalated = beyond > 0 and math.min(MAX_ESCALATED_WAIT, MIN_ESCALATED_WAIT * 2 ^ (beyond - 1)) or 0
setBreaker(scope, math.max(scope.till, now + math.max(tonumber(ARGV[4]), escalated)), 1)
keepFor(key, 2 * (leaseMs + MINUTE))
keepFor(heavy, 2 * (leaseMs + MINUTE))

-- Keys that rotate are not remembered longer than they matter.
local breakers = redis.call('HGETALL', BREAKERS)
for index = 1, #breakers, 2 do
  local till = tonumber(string.match(breakers[index + 1], '^%d+'))
  if till < now - HOUR then redis.call('HDEL', BREAKERS, breakers[index]) end
end
return answer('refused', scope.till - now)
`)
