import { tagScript } from '../tagged-script.ts'
import { LIMITS } from './limits.lua.ts'

/**
 * Takes everything that a request needs, or nothing: a slot if it is heavy, and a probe of each scope whose breaker is not closed.
 * ARGV: config, id, leaseMs, key scope, '1' if heavy, most refusals of a key, how long a waiting request may be silent, ids of requests that were sent without asking.
 * Answers `granted`, `cooldown` with its length, `refusals` with the time until fewer refusals of the key are recent, or, when it has to ask again,
 * `busy` while a probe is in flight and `queued` with the number of requests before it while no slot is free.
 */
export const ADMIT = /* @__PURE__ */ tagScript(`#!lua
${LIMITS}
if not config then return redis.error_reply('NOTINITIALIZED The fleet has no state.') end
if config ~= ARGV[1] then return redis.error_reply('MISMATCH ' .. config) end

local id, leaseMs, isHeavy, maxRefusals = ARGV[2], tonumber(ARGV[3]), ARGV[5] == '1', tonumber(ARGV[6])
if redis.call('HEXISTS', OPERATIONS, id) == 1 then return answer('cancelled', 0) end
local key, heavy = scopeOf(ARGV[4], 8), scopeOf('heavy', 11)
countUnasked(key, 8, leaseMs)

for _, leases in ipairs({ SLOTS, key.probes, key.unasked, heavy.probes }) do shorten(leases, leaseMs) end

local function isHeld()
  return redis.call('ZSCORE', SLOTS, id) or redis.call('ZSCORE', key.probes, id)
end
if isHeld() then return answer('granted', 0) end

local waitMs, refusalsMs, isBusy = 0, 0, false
local function checkScope(scope, isKey)
  if not scope.isTripped then return end
  prune(scope)
  waitMs = math.max(waitMs, scope.till - now)
  local probes = redis.call('ZCARD', scope.probes)
  if probes >= scope.limit then isBusy = true end
  if not isKey then return end
  local refusals = redis.call('ZCARD', scope.refusals)
  if refusals >= maxRefusals then
    local last = redis.call('ZRANGE', scope.refusals, refusals - maxRefusals, refusals - maxRefusals, 'WITHSCORES')
    refusalsMs = tonumber(last[2]) + MINUTE - now + 1
  elseif refusals + probes + redis.call('ZCARD', scope.unasked) >= maxRefusals then
    isBusy = true
  end
end
checkScope(key, true)
if isHeavy then checkScope(heavy, false) end
-- What waits for a probe is in nobody's way to a slot.
if waitMs > 0 or refusalsMs > 0 or isBusy then
  leave(id)
  if refusalsMs > waitMs then return answer('refusals', refusalsMs) end
  return answer(waitMs > 0 and 'cooldown' or 'busy', waitMs)
end

if isHeavy then
  redis.call('ZREMRANGEBYSCORE', SLOTS, '-inf', text(now))
  for _, silent in ipairs(redis.call('ZRANGEBYSCORE', SEEN, '-inf', text(now - tonumber(ARGV[7])))) do leave(silent) end
  -- The clock was ahead: who still waits asks again.
  for _, ahead in ipairs(redis.call('ZRANGEBYSCORE', SEEN, '(' .. text(now), '+inf')) do leave(ahead) end
  -- First come, first served, as long as they keep asking.
  local ahead = redis.call('ZRANK', WAITING, id) or redis.call('ZCARD', WAITING)
  if slotLimit - redis.call('ZCARD', SLOTS) <= ahead then
    redis.call('ZADD', WAITING, 'NX', text(now), id)
    redis.call('ZADD', SEEN, text(now), id)
    return answer('queued', ahead)
  end
  leave(id)
  redis.call('ZADD', SLOTS, text(now + leaseMs), id)
end
local function takeProbe(scope)
  if not scope.isTripped then return end
  redis.call('ZADD', scope.probes, text(now + leaseMs), id)
  keepFor(scope, 2 * (leaseMs + MINUTE))
end
takeProbe(key)
if isHeavy then takeProbe(heavy) end
return answer('granted', 0)
`)
