/**
 * What the scripts that move credits begin with. KEYS: state, operations, leases, ends, guards.
 *
 * The hash `state` holds the configuration and the counts, so that an eviction takes both and the fleet refuses. `operations` holds
 * `state:window:credits:extra` by id, where the state is r(eserved), e(xpired: the lease ended, so the credits are uncertain), s(ettled),
 * u(ncertain), f(reed) or c(ancelled before it was executed). `leases` has the reserved ones by the end of their lease, `ends` the others by the
 * time at which they may be forgotten.
 */
export const LEDGER = `
local STATE, OPERATIONS, LEASES, ENDS, GUARDS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local HOUR = 3600000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number)
  return string.format('%.0f', number)
end

local config, epoch, window, before = unpack(redis.call('HMGET', STATE, 'config', 'epoch', 'window', 'before'))
local limit, windowMs = 0, 0
if config then
  limit, windowMs = string.match(config, '^(%d+) (%d+) ')
  limit, windowMs = tonumber(limit), tonumber(windowMs)
end

-- Without a state nobody knows what was spent. A member with other limits would break those of the others.
local function refusal(expected)
  if not config then return redis.error_reply('NOTINITIALIZED The fleet has no state.') end
  if config ~= expected then return redis.error_reply('MISMATCH ' .. config) end
end

-- When the clock is set back, the later window goes on for the length of a window: then nothing that it counts was sent in a window of now.
local function enterWindow()
  local index = windowMs > 0 and math.floor(now / windowMs) or 0
  if window and index <= tonumber(window) then
    if index == tonumber(window) then
      redis.call('HDEL', STATE, 'setBackAt')
      return
    end
    redis.call('HSETNX', STATE, 'setBackAt', text(now))
    local setBackAt = tonumber(redis.call('HGET', STATE, 'setBackAt'))
    -- Set back once more.
    if setBackAt > now then
      redis.call('HSET', STATE, 'setBackAt', text(now))
      return
    end
    if now - setBackAt < windowMs then return end
  end
  redis.call('HDEL', STATE, 'setBackAt')
  -- Counts of an earlier fault of the clock.
  if window and index ~= tonumber(before or -1) then redis.call('HDEL', STATE, 's' .. text(index), 'r' .. text(index), 'u' .. text(index)) end
  if before then redis.call('HDEL', STATE, 's' .. before, 'r' .. before, 'u' .. before) end
  if window then
    redis.call('HSET', STATE, 'before', window)
    local provable = tonumber(redis.call('HGET', STATE, 'provable') or 0)
    if provable > 0 then
      redis.call('HINCRBY', STATE, 'older', text(provable))
      redis.call('HSET', STATE, 'provable', '0')
    end
  end
  before, window = window, text(index)
  redis.call('HSET', STATE, 'window', window)
end

-- Counts of windows before the last one are not kept.
local function add(kind, index, credits)
  if credits ~= 0 and (index == window or index == before) then
    redis.call('HINCRBY', STATE, kind .. index, text(credits))
  end
end

local function counts()
  local found = redis.call('HMGET', STATE, 's' .. window, 'r' .. window, 'u' .. window)
  return found[1] or '0', found[2] or '0', found[3] or '0'
end

-- What a later balance of the key may prove: credits that became uncertain since the last proof.
local function addDoubt(index, credits)
  local field = index == window and 'provable' or 'older'
  local doubt = tonumber(redis.call('HGET', STATE, field) or 0)
  redis.call('HSET', STATE, field, text(math.max(0, doubt + credits)))
end

local function read(id)
  local found = redis.call('HGET', OPERATIONS, id)
  if not found then return nil end
  local state, index, credits, extra = string.match(found, '^(%a):(%d+):(%d+):(%d+)$')
  return { state = state, window = index, credits = tonumber(credits), extra = extra }
end

local function write(id, state, index, credits, extra)
  redis.call('HSET', OPERATIONS, id, state .. ':' .. index .. ':' .. text(credits) .. ':' .. extra)
end

local function reserve(id, credits, leaseMs)
  add('r', window, credits)
  write(id, 'r', window, credits, '0')
  redis.call('ZADD', LEASES, text(now + leaseMs), id)
  redis.call('ZREM', ENDS, id)
end

-- An id is kept for an hour at least, and at most until the end of the window after its own.
local function forgetLater(id, keepMs)
  redis.call('ZREM', LEASES, id)
  redis.call('ZADD', ENDS, text(now + keepMs), id)
end

-- Takes back what an undecided operation holds. What a balance has proven is not held any more.
local function unhold(operation)
  if operation.state == 'r' then
    add('r', operation.window, -operation.credits)
  elseif operation.state == 'e' and operation.extra == (redis.call('HGET', STATE, 'proofs') or '0') then
    add('u', operation.window, -operation.credits)
    addDoubt(operation.window, -operation.credits)
  end
end

-- A few at a time, so that no script takes long. It changes no sum.
local function sweep()
  local ended = redis.call('ZRANGEBYSCORE', LEASES, '-inf', text(now), 'LIMIT', 0, 100)
  for _, id in ipairs(ended) do
    local operation = read(id)
    if operation and operation.state == 'r' then
      add('r', operation.window, -operation.credits)
      add('u', operation.window, operation.credits)
      addDoubt(operation.window, operation.credits)
      write(id, 'e', operation.window, operation.credits, redis.call('HGET', STATE, 'proofs') or '0')
    end
    local nextWindowEnd = windowMs > 0 and (tonumber(window) + 2) * windowMs - now or 48 * HOUR
    forgetLater(id, math.max(HOUR, nextWindowEnd))
  end
  local forgotten = redis.call('ZRANGEBYSCORE', ENDS, '-inf', text(now), 'LIMIT', 0, 100)
  if #forgotten > 0 then
    redis.call('HDEL', OPERATIONS, unpack(forgotten))
    redis.call('ZREM', ENDS, unpack(forgotten))
  end
end

local function available()
  local spent, reserved, uncertain = counts()
  return limit - spent - reserved - uncertain
end

local function guards()
  local found = redis.call('HGETALL', GUARDS)
  for index = 2, #found, 2 do
    local till, limit, since = string.match(found[index], '^(%d+):(%d+):(%d+)$')
    if till and tonumber(since) > now then
      found[index] = text(now + math.max(0, tonumber(till) - tonumber(since))) .. ':' .. limit .. ':' .. text(now)
      redis.call('HSET', GUARDS, found[index - 1], found[index])
    end
  end
  return found
end

-- Every answer: a verdict, the time, the totals of the window, and the scopes that are refused.
local function answer(verdict)
  local spent, reserved, uncertain = counts()
  local reply = { verdict, text(now), epoch, window, spent, reserved, uncertain }
  for _, part in ipairs(guards()) do reply[#reply + 1] = part end
  return reply
end
`
