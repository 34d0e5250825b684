import { tagScript } from '../tagged-script.ts'
import { LIMITS } from './limits.lua.ts'

/**
 * Gives back what a request holds, or cancels a request for it. ARGV: id, key scope,
 * result: succeeded, failed, lost, unused or cancelled.
 */
export const END = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LIMITS}
local id, result = ARGV[1], ARGV[3]
local key, heavy = scopeOf(ARGV[2], 8), scopeOf('heavy', 11)
if result == 'cancelled' then
  redis.call('HSET', OPERATIONS, id, 'c:0:0:0')
  redis.call('ZADD', ENDS, text(now + HOUR), id)
  result = 'unused'
end
leave(id)
endProbe(key, id, result)
endProbe(heavy, id, result)

-- The scope is calm when a probe has succeeded and no refusal of the key is recent, or every heavy slot may probe.
local function isCalm(scope)
  return scope.isTripped and scope.till <= now and scope.limit > 1
end
if isCalm(heavy) and heavy.limit >= slotLimit then close(heavy) end
if isCalm(key) then
  prune(key)
  if redis.call('ZCARD', key.refusals) == 0 then close(key) end
end
return answer('ended', 0)
`)
