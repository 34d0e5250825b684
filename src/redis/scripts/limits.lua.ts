import { MAX_ESCALATED_WAIT_MS, MAX_PLAIN_REFUSALS, MIN_ESCALATED_WAIT_MS } from '../../transport/circuit-breaker.ts'
import { tagScript } from '../command.ts'
import { CLOCK, COOLDOWNS, LEASES_IN_TIME } from './clock.lua.ts'
import { CONFIG } from './config.lua.ts'

/**
 * What the scripts that admit requests begin with. KEYS: state, operations, ends, breakers, slots, waiting, seen, then for the scope of the API key
 * and for that of heavy requests: probes, refusals, unasked.
 *
 * `breakers` has the circuit breakers that are not closed. All other sets are scored by the time at which an entry ends, `refusals` by that of the refusal: one that is ahead of the
 * clock counts for a minute from now. `unasked` are requests that were sent without asking,
 * before their member knew that the breaker was open.
 */
export const LIMITS = `
local STATE, OPERATIONS, ENDS, BREAKERS, SLOTS, WAITING, SEEN = unpack(KEYS, 1, 7)
local MINUTE, HOUR = 60000, 3600000

${CLOCK}${CONFIG}${LEASES_IN_TIME}${COOLDOWNS}
local scopeMs = 2 * (leaseMs + MINUTE)

local function scopeOf(name, first)
  local till, limit, found = readBreaker(name, redis.call('HGET', BREAKERS, name))
  return {
    name = name,
    probes = KEYS[first], refusals = KEYS[first + 1], unasked = KEYS[first + 2],
    till = till, limit = limit, isTripped = found ~= nil,
  }
end

local function setBreaker(scope, till, limit)
  scope.till, scope.limit, scope.isTripped = till, limit, true
  redis.call('HSET', BREAKERS, scope.name, text(till) .. ':' .. text(limit) .. ':' .. text(now))
end

local function keep(scope)
  endLater({ scope.probes, scope.refusals, scope.unasked }, scopeMs)
end

local function addRefusal(scope, id)
  redis.call('ZADD', scope.refusals, text(now), id)
  keep(scope)
end

-- A probe whose process is gone may have been refused.
local function prune(scope)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', scope.probes, '-inf', text(now))) do
    redis.call('ZREM', scope.probes, id)
    addRefusal(scope, id)
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', scope.refusals, '(' .. text(now), '+inf')) do redis.call('ZADD', scope.refusals, text(now), id) end
  redis.call('ZREMRANGEBYSCORE', scope.refusals, '-inf', text(now - MINUTE))
  redis.call('ZREMRANGEBYSCORE', scope.unasked, '-inf', text(now))
end

local function leave(id)
  redis.call('ZREM', SLOTS, id)
  redis.call('ZREM', WAITING, id)
  redis.call('ZREM', SEEN, id)
end

-- Requests that this member has in flight and nobody has counted.
local function countUnasked(scope, first)
  for index = first, #ARGV do redis.call('ZADD', scope.unasked, text(now + leaseMs), ARGV[index]) end
  if first <= #ARGV then keep(scope) end
end

-- What a request held of a scope is free again. A success permits one more probe, a failure leaves as many as are in flight.
local function endProbe(scope, id, result)
  redis.call('ZREM', scope.unasked, id)
  if redis.call('ZREM', scope.probes, id) == 0 or not scope.isTripped then return end
  if result == 'lost' then addRefusal(scope, id) end
  if scope.till > now then return end
  prune(scope)
  if result == 'succeeded' then
    setBreaker(scope, scope.till, scope.limit + 1)
  elseif result ~= 'unused' then
    setBreaker(scope, scope.till, math.max(1, redis.call('ZCARD', scope.probes)))
  end
end

local function close(scope)
  redis.call('HDEL', BREAKERS, scope.name)
  redis.call('DEL', scope.probes, scope.unasked)
end

local function answer(verdict, ms)
  endLater({ OPERATIONS, ENDS, BREAKERS }, keepMs, 'NX')
  local reply = { verdict, text(now), text(ms) }
  for _, part in ipairs(breakers()) do reply[#reply + 1] = part end
  return reply
end
`

/**
 * Takes everything that a request needs, or nothing: a slot if it is heavy, and a probe of each scope whose breaker is not closed.
 * ARGV: config, id, key scope, '1' if heavy, most refusals of a key, how long a waiting request may be silent, ids of requests that were sent without asking.
 * Answers `granted`, `cooldown` with its length, `refusals` with the time until fewer refusals of the key are recent, or, when it has to ask again,
 * `busy` while a probe is in flight and `queued` with the number of requests before it while no slot is free.
 */
export const ADMIT = /* @__PURE__ */ tagScript(`#!lua
${LIMITS}
local refused = refusal(ARGV[1])
if refused then return refused end

local id, isHeavy, maxRefusals = ARGV[2], ARGV[4] == '1', tonumber(ARGV[5])
if redis.call('HEXISTS', OPERATIONS, id) == 1 then return answer('cancelled', 0) end
local key, heavy = scopeOf(ARGV[3], 8), scopeOf('heavy', 11)
countUnasked(key, 7)

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
  for _, silent in ipairs(redis.call('ZRANGEBYSCORE', SEEN, '-inf', text(now - tonumber(ARGV[6])))) do leave(silent) end
  -- The clock was ahead: who still waits asks again.
  for _, ahead in ipairs(redis.call('ZRANGEBYSCORE', SEEN, '(' .. text(now), '+inf')) do leave(ahead) end
  -- First come, first served, as long as they keep asking.
  local ahead = redis.call('ZRANK', WAITING, id) or redis.call('ZCARD', WAITING)
  if slotLimit - redis.call('ZCARD', SLOTS) <= ahead then
    redis.call('ZADD', WAITING, 'NX', text(now), id)
    redis.call('ZADD', SEEN, text(now), id)
    endLater({ WAITING, SEEN }, scopeMs)
    return answer('queued', ahead)
  end
  leave(id)
  redis.call('ZADD', SLOTS, text(now + leaseMs), id)
  endLater({ SLOTS }, 24 * HOUR)
end
local function takeProbe(scope)
  if not scope.isTripped then return end
  redis.call('ZADD', scope.probes, text(now + leaseMs), id)
  keep(scope)
end
takeProbe(key)
if isHeavy then takeProbe(heavy) end
return answer('granted', 0)
`)

/**
 * The service refused a request: starts a cool-down of a scope, and gives back what the request holds. Several refusals within a minute make it longer.
 * ARGV: id, key scope, 'key' or 'heavy', wait in ms, ids of requests that were sent without asking.
 */
export const REFUSE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LIMITS}
local MAX_PLAIN_REFUSALS, MIN_ESCALATED_WAIT, MAX_ESCALATED_WAIT = ${MAX_PLAIN_REFUSALS}, ${MIN_ESCALATED_WAIT_MS}, ${MAX_ESCALATED_WAIT_MS}

local id = ARGV[1]
local key, heavy = scopeOf(ARGV[2], 8), scopeOf('heavy', 11)
local scope = ARGV[3] == 'key' and key or heavy
local isKnown = redis.call('ZSCORE', scope.refusals, id)
leave(id)
endProbe(key, id, 'failed')
endProbe(heavy, id, 'failed')
countUnasked(key, 5)
if isKnown then return answer('known', scope.till - now) end

addRefusal(scope, id)
prune(scope)
local beyond = redis.call('ZCARD', scope.refusals) - MAX_PLAIN_REFUSALS
local escalated = beyond > 0 and math.min(MAX_ESCALATED_WAIT, MIN_ESCALATED_WAIT * 2 ^ (beyond - 1)) or 0
setBreaker(scope, math.max(scope.till, now + math.max(tonumber(ARGV[4]), escalated)), 1)

-- Keys that rotate are not remembered longer than they matter.
local breakers = redis.call('HGETALL', BREAKERS)
for index = 1, #breakers, 2 do
  local till = tonumber(string.match(breakers[index + 1], '^%d+'))
  if till < now - HOUR then redis.call('HDEL', BREAKERS, breakers[index]) end
end
return answer('refused', scope.till - now)
`)

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
