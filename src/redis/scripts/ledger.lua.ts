import { COOLDOWNS, LEASES_IN_TIME } from './clock.lua.ts'
import { WINDOWS } from './windows.lua.ts'

/**
 * What the scripts that move credits begin with. KEYS: state, operations, leases, ends, breakers, balances.
 *
 * `operations` holds `state:window:credits:extra` by id, and `:key` where a key is known, where the state is r(eserved), e(xpired: the lease ended, so the
 * credits are uncertain), s(ettled), u(ncertain), f(reed) or c(ancelled before it was executed). `leases` has the reserved ones by the end of their lease,
 * `ends` the others by the time at which they may be forgotten.
 *
 * `balances` holds what is known of each API key whose balance was read, by a hash of it: `balance:provable:older:window:reading:proof:readAt`, the rules of
 * `credits/reconcile.ts`, and below `k:` what was charged to it since then. `provable` became uncertain with it since then in `window`, `older` in earlier
 * ones. Readings of balances are numbered: `reading` is the last one of the key, `proof` the last that proved something. The `extra` of an expired operation is
 * the last reading before. Where its key is not known, any reading may show what it cost, and none proves it.
 *
 * - `refusal`: without a state nobody knows what was spent; a member with other limits would break those of the others.
 * - `add`: counts of windows that are forgotten are not kept.
 * - `addProvable`: what a later balance of the key may prove, credits that became uncertain since the last reading.
 * - `unhold` takes back what an undecided operation holds, where no balance has proven it, and answers whether a balance may show what it cost, and
 *   whether one has proven it.
 * - `sweep` takes a few at a time, so that no script takes long. It changes no sum. An id is kept for an hour at least, and at most until the end of the
 *   window after its own.
 * - `answer`: a verdict, the time, the window and how long it lasts, what counts, and the scopes that are refused.
 */
export const LEDGER = `
local STATE, OPERATIONS, LEASES, ENDS, BREAKERS, BALANCES = unpack(KEYS)
local HOUR = 3600000
${WINDOWS}${LEASES_IN_TIME}${COOLDOWNS}
local function refusal(expected)
  if not config then return redis.error_reply('NOTINITIALIZED The fleet has no state.') end
  if config ~= expected then return redis.error_reply('MISMATCH ' .. config) end
end

local window
local function look()
  local before = latest
  local forgotten, isEntered, isHeld = enterWindow()
  for _, one in ipairs(forgotten) do redis.call('HDEL', STATE, 's' .. one.id, 'r' .. one.id, 'u' .. one.id) end
  window = windows[1].id
  if isEntered or isHeld then
    local list = {}
    for _, one in ipairs(windows) do list[#list + 1] = one.id .. ':' .. text(one.index) .. ':' .. text(one.countsUntil) end
    redis.call('HSET', STATE, 'latest', text(now), 'newest', newestId, 'windows', table.concat(list, ' '))
  elseif text(now) ~= before then
    redis.call('HSET', STATE, 'latest', text(now))
  end
end

local function add(kind, id, credits)
  if credits == 0 then return end
  for _, one in ipairs(windows) do
    if one.id == id and redis.call('HINCRBY', STATE, kind .. id, text(credits)) > MAX_CREDITS then
      redis.call('HSET', STATE, kind .. id, text(MAX_CREDITS))
    end
  end
end

local function evidenceOf(key)
  local found = key ~= '' and redis.call('HGET', BALANCES, key)
  if not found then return nil end
  local part = {}
  for value in string.gmatch(found, '%d+') do part[#part + 1] = tonumber(value) end
  local one = { balance = part[1], provable = part[2], older = part[3], reading = part[5], proof = part[6], readAt = part[7] }
  if part[4] ~= tonumber(window) then one.provable, one.older = 0, one.older + one.provable end
  return one
end

local function keep(key, one)
  local parts = {}
  for _, number in ipairs({ one.balance, one.provable, one.older, tonumber(window), one.reading, one.proof, one.readAt }) do
    parts[#parts + 1] = text(number)
  end
  return redis.call('HSET', BALANCES, key, table.concat(parts, ':'))
end

local function readingOf(key)
  local one = evidenceOf(key)
  if one then return one.reading, one.proof end
  local readings, forgotten = unpack(redis.call('HMGET', STATE, 'readings', 'forgotten'))
  return tonumber(readings or 0), key == '' and 0 or tonumber(forgotten or 0)
end

local function addProvable(key, id, credits)
  local one = evidenceOf(key)
  if not one then return end
  local field = id == window and 'provable' or 'older'
  one[field] = math.max(0, one[field] + credits)
  keep(key, one)
end

local function read(id)
  local found = redis.call('HGET', OPERATIONS, id)
  if not found then return nil end
  local state, of, credits, extra, key = string.match(found, '^(%a):(%d+):(%d+):(%d+):?(.*)$')
  return { state = state, window = of, credits = tonumber(credits), extra = tonumber(extra), key = key }
end

local function write(id, state, of, credits, extra, key)
  redis.call('HSET', OPERATIONS, id, state .. ':' .. of .. ':' .. text(credits) .. ':' .. text(extra) .. (key and key ~= '' and ':' .. key or ''))
end

local function reserve(id, credits, leaseMs, key)
  add('r', window, credits)
  write(id, 'r', window, credits, 0, key)
  redis.call('ZADD', LEASES, text(now + leaseMs), id)
  redis.call('ZREM', ENDS, id)
end

local function forgetLater(id, keepMs)
  redis.call('ZREM', LEASES, id)
  redis.call('ZADD', ENDS, text(now + keepMs), id)
end

local function unhold(operation)
  if operation.state ~= 'e' then
    if operation.state == 'r' then add('r', operation.window, -operation.credits) end
    return false, false
  end
  local reading, proof = readingOf(operation.key)
  local isShown, isProven = reading > operation.extra, proof > operation.extra
  if not isProven then add('u', operation.window, -operation.credits) end
  if not isShown then addProvable(operation.key, operation.window, -operation.credits) end
  return isShown, isProven
end

local function sweep(leaseMs)
  shorten(LEASES, leaseMs)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', text(now), 'LIMIT', 0, 100)) do
    local operation = read(id)
    if operation and operation.state == 'r' then
      add('r', operation.window, -operation.credits)
      add('u', operation.window, operation.credits)
      addProvable(operation.key, operation.window, operation.credits)
      write(id, 'e', operation.window, operation.credits, readingOf(operation.key), operation.key)
    end
    local nextWindowMs = windowMs > 0 and endOf(windows[1]) + windowMs - now or 48 * HOUR
    forgetLater(id, math.max(HOUR, nextWindowMs))
  end
  local longestMs = math.max(48 * HOUR, 2 * windowMs)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', ENDS, '(' .. text(now + longestMs), '+inf', 'LIMIT', 0, 100)) do forgetLater(id, longestMs) end
  local forgotten = redis.call('ZRANGEBYSCORE', ENDS, '-inf', text(now), 'LIMIT', 0, 100)
  if #forgotten > 0 then
    redis.call('HDEL', OPERATIONS, unpack(forgotten))
    redis.call('ZREM', ENDS, unpack(forgotten))
  end
end

local function answer(verdict)
  local spent, reserved, uncertain = counts()
  local reply = { verdict, text(now), epoch, window, msLeft(), text(spent), text(reserved), text(uncertain) }
  for _, part in ipairs(breakers()) do reply[#reply + 1] = part end
  return reply
end
`
