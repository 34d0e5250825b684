import { CLOCK, COOLDOWNS, LEASES_IN_TIME } from './clock.lua.ts'

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

${CLOCK}${LEASES_IN_TIME}${COOLDOWNS}
local config = redis.call('HGET', STATE, 'config')
local slotLimit = config and tonumber(string.match(config, ' (%d+)$')) or 0

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

-- A probe whose process is gone may have been refused.
local function prune(scope)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', scope.probes, '-inf', text(now))) do
    redis.call('ZREM', scope.probes, id)
    redis.call('ZADD', scope.refusals, text(now), id)
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

-- Sets of keys that are not used any more end by themselves.
local function keepFor(scope, ms)
  for _, key in ipairs({ scope.probes, scope.refusals, scope.unasked }) do redis.call('PEXPIRE', key, text(ms)) end
end

-- Requests that this member has in flight and nobody has counted.
local function countUnasked(scope, first, leaseMs)
  for index = first, #ARGV do redis.call('ZADD', scope.unasked, text(now + leaseMs), ARGV[index]) end
  if first <= #ARGV then keepFor(scope, 2 * (leaseMs + MINUTE)) end
end

-- What a request held of a scope is free again. A success permits one more probe, a failure leaves as many as are in flight.
local function endProbe(scope, id, result)
  redis.call('ZREM', scope.unasked, id)
  if redis.call('ZREM', scope.probes, id) == 0 or not scope.isTripped then return end
  if result == 'lost' then redis.call('ZADD', scope.refusals, text(now), id) end
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
  local reply = { verdict, text(now), text(ms) }
  for _, part in ipairs(breakers()) do reply[#reply + 1] = part end
  return reply
end
`
