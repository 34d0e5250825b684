import { LOSS_PARTS, MAX_LOSSES } from '../../credits/reconcile.ts'
import { COOLDOWNS, LEASES_IN_TIME } from './clock.lua.ts'
import { WINDOWS } from './windows.lua.ts'

/**
 * What the scripts that move credits begin with. KEYS: state, operations, leases, ends, breakers, balances.
 *
 * `operations` holds `state:window:credits:extra` by id, and `:key` where a key is known, where the state is r(eserved), e(xpired: the lease ended, so the
 * credits are uncertain), s(ettled), u(ncertain), f(reed) or c(ancelled before it was executed). `leases` has the reserved ones by the end of their lease,
 * `ends` the others by the time at which they may be forgotten.
 *
 * `balances` holds what is known of each API key whose balance was read, by a hash of it, by the rules of `credits/reconcile.ts`:
 * `balance:reading:since:readAt`, and for each loss `;number,sentAt,credits,possible,window`. Below `k:` is what was charged to the key since the last
 * reading. Readings and losses are numbered together: `reading` is the last one of the key, `since` the first, or the last that showed a top-up: no later
 * one proves what was lost before it. The `extra` of an expired operation is the number of its loss. Where its key is not known, any reading may show what it cost, and none
 * proves it.
 *
 * - `refusal`: without a state nobody knows what was spent; a member with other limits would break those of the others.
 * - `add`: counts of windows that are forgotten are not kept.
 * - `addLoss`: what became uncertain with a key since its balance was known. Beyond a number, losses of about the same time are counted together.
 * - `unhold` takes back what an undecided operation holds, where a balance has not freed it, and answers whether a balance may show what it cost, and
 *   whether it was freed.
 * - `forgetBalances`: a charge of an unknown key makes every balance incomparable with the next one.
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
  local balance, reading, since, readAt, listed = string.match(found, '^(%d+):(%d+):(%d+):(%d+)([;,%d]*)$')
  -- One that an earlier version of this package wrote proves nothing.
  if not balance then return nil end
  local losses = {}
  for number, sentAt, credits, possible, of in string.gmatch(listed, ';(%d+),(%d+),(%d+),(%d+),(%d*)') do
    losses[#losses + 1] = { number = tonumber(number), sentAt = tonumber(sentAt), credits = tonumber(credits), possible = tonumber(possible), window = of }
  end
  return { balance = tonumber(balance), reading = tonumber(reading), since = tonumber(since), readAt = tonumber(readAt), losses = losses }
end

local function keep(key, one)
  local parts = { text(one.balance) .. ':' .. text(one.reading) .. ':' .. text(one.since) .. ':' .. text(one.readAt) }
  for _, loss in ipairs(one.losses) do
    parts[#parts + 1] = table.concat({ text(loss.number), text(loss.sentAt), text(loss.credits), text(loss.possible), loss.window }, ',')
  end
  return redis.call('HSET', BALANCES, key, table.concat(parts, ';'))
end

local function nextNumber()
  return redis.call('HINCRBY', STATE, 'readings', '1')
end

local function mergeLosses(losses, maxChargeDelayMs)
  local partMs = maxChargeDelayMs / ${LOSS_PARTS}
  local merged, places = {}, {}
  for _, loss in ipairs(losses) do
    -- A loss of an earlier window is only compared with the current one.
    if loss.window ~= window then loss.window = '' end
    local part = math.ceil(math.max(now - maxChargeDelayMs, math.min(now, loss.sentAt)) / partMs) .. ' ' .. loss.window
    local other = places[part]
    if other then
      other.number, other.sentAt = loss.number, math.max(other.sentAt, loss.sentAt)
      other.credits, other.possible = other.credits + loss.credits, other.possible + loss.possible
    else
      places[part], merged[#merged + 1] = loss, loss
    end
  end
  return merged
end

local function addLoss(key, of, credits, sentAt, maxChargeDelayMs)
  local one, number = evidenceOf(key), nextNumber()
  if one then
    one.losses[#one.losses + 1] = { number = number, sentAt = sentAt, credits = credits, possible = credits, window = of }
    if #one.losses > ${MAX_LOSSES} then one.losses = mergeLosses(one.losses, maxChargeDelayMs) end
    keep(key, one)
  end
  return number
end

local function removeLoss(key, one, number, credits)
  for place, loss in ipairs(one.losses) do
    if loss.number == number then
      loss.credits = math.max(0, loss.credits - credits)
      loss.possible = math.min(loss.possible, loss.credits)
      if loss.credits == 0 then table.remove(one.losses, place) end
      keep(key, one)
      return true
    end
  end
  return false
end

local function forgetBalances()
  redis.call('DEL', BALANCES)
  redis.call('HSET', STATE, 'forgotten', text(nextNumber()))
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
  local key, number, one = operation.key, operation.extra, evidenceOf(operation.key)
  local last, forgotten = unpack(redis.call('HMGET', STATE, 'lastReading', 'forgotten'))
  local reading = one and one.reading or tonumber(last or 0)
  local isFreed
  if one and number > one.since then isFreed = not removeLoss(key, one, number, operation.credits)
  -- What was known of its key is forgotten: a balance may have freed it before.
  else isFreed = key ~= '' and number <= tonumber(forgotten or 0) end
  if not isFreed then add('u', operation.window, -operation.credits) end
  return reading > number, isFreed
end

local function sweep(leaseMs, maxChargeDelayMs)
  shorten(LEASES, leaseMs)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', text(now), 'LIMIT', 0, 100)) do
    local operation = read(id)
    if operation and operation.state == 'r' then
      add('r', operation.window, -operation.credits)
      add('u', operation.window, operation.credits)
      -- Nothing is sent after the lease has ended.
      local sentAt = tonumber(redis.call('ZSCORE', LEASES, id))
      local number = addLoss(operation.key, operation.window, operation.credits, sentAt, maxChargeDelayMs)
      write(id, 'e', operation.window, operation.credits, number, operation.key)
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
