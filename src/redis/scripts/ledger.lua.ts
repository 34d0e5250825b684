import { tagScript } from '../command.ts'
import { COOLDOWNS, LEASES_IN_TIME } from './clock.lua.ts'
import { EVIDENCE } from './evidence.lua.ts'
import { WINDOWS } from './windows.lua.ts'

/**
 * What the scripts that move credits begin with. KEYS: state, operations, leases, ends, breakers, balances.
 *
 * `operations` holds `state:window:credits:extra` by id, and `:key` where a key is known, where the state is r(eserved), e(xpired: the lease ended, so the
 * credits are uncertain), s(ettled), u(ncertain), f(reed) or c(ancelled before it was executed). `leases` has the reserved ones by the end of their lease,
 * `ends` the others by the time at which they may be forgotten.
 *
 * `balances` is described in `evidence.lua.ts`. The `extra` of an expired operation is the number of its loss.
 *
 * - `refusal`: without a state nobody knows what was spent; a member with other limits would break those of the others.
 * - `add`: counts of windows that are forgotten are not kept.
 * - `unhold` takes back what an undecided operation holds, where a balance has not freed it, and answers whether a balance may show what it cost, and
 *   whether it was freed.
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

${EVIDENCE}
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

/**
 * ARGV: config, id, credits, leaseMs, maxChargeDelayMs, key, or nothing where it is not known. A second execution with the same id changes nothing and has the result of the
 * first, or `earlier` where that was granted in an earlier window: it has to be confirmed before its request is sent.
 */
export const RESERVE = /* @__PURE__ */ tagScript(`#!lua
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
look()

local id, credits, leaseMs = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
sweep(leaseMs, tonumber(ARGV[5]))
local known = read(id)
if known and known.state == 'c' then return answer('cancelled') end
if known then return answer(known.window == window and 'granted' or 'earlier') end
-- What is free needs no entry.
if credits == 0 then return answer('granted') end
if not fits(credits) then return answer('refused') end
reserve(id, credits, leaseMs, ARGV[6])
return answer('granted')
`)

/**
 * Moves a reservation to the window of now, renews its lease and names its key, right before its request is sent. ARGV: config, id, credits, leaseMs, maxChargeDelayMs,
 * key.
 * Where it does not fit, it is released.
 */
export const CONFIRM = /* @__PURE__ */ tagScript(`#!lua
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
look()

local id, credits, leaseMs, key = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[6]
sweep(leaseMs, tonumber(ARGV[5]))
local known = read(id)
if known and known.state ~= 'r' and known.state ~= 'e' then return answer('decided') end
if known and known.window == window and known.state == 'r' then
  write(id, 'r', window, credits, 0, key)
  redis.call('ZADD', LEASES, text(now + leaseMs), id)
  return answer('granted')
end
-- A fail-over may have forgotten the reservation: then it is made again.
if known then unhold(known) end
if not fits(credits) then
  if known then
    write(id, 'f', known.window, credits, 0)
    forgetLater(id, HOUR)
  end
  return answer('refused')
end
reserve(id, credits, leaseMs, key)
return answer('granted')
`)

/**
 * Takes a reservation back whose answer did not arrive, and so was not used. Where it was not executed yet, it will not be: the id is
 * marked. ARGV: id.
 */
export const CANCEL = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
local id = ARGV[1]
local known = config and read(id)
if known and known.state ~= 'r' and known.state ~= 'e' then return known.state end
if known then
  look()
  unhold(known)
end
write(id, 'c', known and known.window or '0', 0, 0)
forgetLater(id, HOUR)
return 'c'
`)

/**
 * Decides a reservation: s(ettled), f(reed) or u(ncertain). The first decision counts.
 * ARGV: id, decision, charged, credits, window, epoch, age of the reservation and time since its request was sent in ms, maxChargeDelayMs, key.
 *
 * It may grow the memory beyond its limit, because an answer that is paid for must be counted.
 */
export const SETTLE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
if not config then return { 'ignored', text(now) } end
look()

local id, decision, charged, ageMs, key = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[7]), ARGV[10]
local known = read(id)
if not known then
  -- A reservation of the same state that is not old was forgotten by a fail-over: its charge counts all the same.
  if ARGV[6] ~= epoch or ageMs > HOUR / 2 then return answer('ignored') end
  known = { state = 'n', window = ARGV[5], credits = tonumber(ARGV[4]), key = key }
end
if known.state ~= 'r' and known.state ~= 'e' and known.state ~= 'n' then return answer('repeated') end

-- What is expired is uncertain already.
if decision ~= 'u' or known.state ~= 'e' then
  local isShown = unhold(known)
  local evidence = evidenceOf(key)
  if known.state == 'n' and evidence then isShown = evidence.readAt >= now - ageMs end
  if decision == 's' then
    add('s', known.window, charged)
    if charged > 0 and key == '' then forgetBalances()
    -- What was charged before the first balance is of no use.
    elseif charged > 0 and evidence and not isShown then redis.call('HINCRBY', BALANCES, 'k:' .. key, text(charged)) end
  elseif decision == 'u' then
    add('u', known.window, known.credits)
    if not isShown then addLoss(key, known.window, known.credits, now - tonumber(ARGV[8]), tonumber(ARGV[9])) end
  end
end
write(id, decision, known.window, known.credits, charged)
forgetLater(id, HOUR)
return answer(decision)
`)
