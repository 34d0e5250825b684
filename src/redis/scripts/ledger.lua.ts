import { tagScript } from '../command.ts'
import { COOLDOWNS, LEASES_IN_TIME } from './clock.lua.ts'
import { EVIDENCE } from './evidence.lua.ts'
import { WINDOWS } from './windows.lua.ts'

/**
 * What the scripts that move credits begin with. KEYS: state, operations, leases, ends, breakers, balances.
 *
 * `operations` holds `state:window:credits:extra` by id, and `:key` where a key is known, where the state is r(eserved), e(xpired: the lease ended, so the
 * credits are uncertain), s(ettled), u(ncertain) or f(reed). `leases` has the reserved ones by the end of their lease,
 * `ends` the others by the time at which they may be forgotten.
 *
 * `balances` is described in `evidence.lua.ts`. The `extra` of an expired operation is the number of its loss.
 *
 * - `look` enters the window of now, and records as `loss` what the member has seen in it and Redis has forgotten. Nothing is reserved then, until `goOn` begins
 *   an epoch, on purpose: it counts what members have seen spent, and as uncertain what they have seen held, where no balance has shown what that cost.
 * - `add`: counts of windows that are forgotten are not kept.
 * - `unhold` takes back what an undecided operation holds, where a balance has not freed it, and answers whether a balance may show what it cost, and
 *   whether it was freed.
 * - `sweep` takes a few at a time, so that no script takes long. It changes no sum. An id is kept for an hour at least, and at most until the end of the
 *   window after its own.
 * - `keepKeys`: a key without an end gets one. Each would be a write to every replica, so that those that have one get another once a day.
 * - `answer`: a verdict, the time, what a member remembers, or nothing while it remembers more than is left, the window and how long it lasts, what counts, and the scopes that are refused.
 */
export const LEDGER = `
local STATE, OPERATIONS, LEASES, ENDS, BREAKERS, BALANCES = unpack(KEYS)
${WINDOWS}${LEASES_IN_TIME}${COOLDOWNS}
local window, loss
-- What was forgotten of an earlier window does not matter; but what follows must be newer than what its members have seen.
local function outdate(seen)
  local of, revisionSeen = string.match(seen, '^(%d+) (%d+)')
  of, revisionSeen = tonumber(of or 0), tonumber(revisionSeen or 0)
  if of > epoch then
    epoch, revision = of, revisionSeen
    redis.call('HSET', STATE, 'epoch', text(epoch))
  elseif of == epoch then
    revision = math.max(revision, revisionSeen)
  end
end

local function look(seen)
  if latest and now < tonumber(latest) - HOUR / 2 then
    -- Smaller steps may have come before.
    unsureUntil = math.max(unsureUntil, tonumber(latest) + HOUR / 2)
    redis.call('HSET', STATE, 'unsureUntil', text(unsureUntil))
  end
  local forgotten, isEntered, isHeld = enterWindow()
  for _, one in ipairs(forgotten) do redis.call('HDEL', STATE, 's' .. one.id, 'r' .. one.id, 'u' .. one.id) end
  window, loss = windows[1].id, readLoss()
  local spent, held = seenMore(seen)
  if spent then
    loss = loss or { spent = 0, held = 0, at = now }
    loss.spent, loss.held = math.max(loss.spent, spent), math.max(loss.held, held)
    redis.call('HSET', STATE, 'lost', table.concat({ window, text(loss.spent), text(loss.held), text(loss.at) }, ':'))
  end
  if not loss then outdate(seen) end
  revision = revision + 1
  redis.call('HSET', STATE, 'latest', text(now), 'revision', text(revision))
  if isEntered or isHeld then
    local list = {}
    for _, one in ipairs(windows) do list[#list + 1] = one.id .. ':' .. text(one.index) .. ':' .. text(one.countsUntil) end
    redis.call('HSET', STATE, 'newest', newestId, 'windows', table.concat(list, ' '))
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

local function reserve(id, credits, key)
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

local function goOn(seen, isShown)
  if loss then
    local _, _, _, own = counts()
    local spent = math.max(0, loss.spent - own.spent)
    -- Nobody knows the keys that it was spent with.
    if spent > 0 then forgetBalances() end
    add('s', window, spent)
    if not isShown then add('u', window, math.max(0, loss.spent + loss.held - own.spent - own.held - spent)) end
    redis.call('HDEL', STATE, 'lost')
    loss = nil
  end
  epoch = math.max(now, epoch + 1, tonumber(string.match(seen, '^%d+') or 0) + 1)
  redis.call('HSET', STATE, 'epoch', text(epoch))
end

local function sweep()
  shorten(LEASES, leaseMs)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', text(now), 'LIMIT', 0, 100)) do
    local operation = read(id)
    if operation and operation.state == 'r' then
      add('r', operation.window, -operation.credits)
      add('u', operation.window, operation.credits)
      -- Nothing is sent after the lease has ended.
      local sentAt = tonumber(redis.call('ZSCORE', LEASES, id))
      local number = addLoss(operation.key, operation.window, operation.credits, sentAt)
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

-- The error for a member that may not spend. What is free, such as a look at the balance, is no risk.
local function enter(expected, seen, credits)
  local refused = refusal(expected)
  if refused then return refused end
  look(seen)
  if loss and credits > 0 then return lossError() end
end

local isNewDay = not latest or math.floor(now / DAY) ~= math.floor(tonumber(latest) / DAY)
local function keepKeys()
  endLater(KEYS, keepMs, unpack(isNewDay and {} or { 'NX' }))
end

local function answer(verdict, id)
  keepKeys()
  local spent, reserved, uncertain, own = counts()
  local reply = { verdict, text(now), loss and '' or seenNow(own, id), window, msLeft(), text(spent), text(reserved), text(uncertain) }
  for _, part in ipairs(breakers()) do reply[#reply + 1] = part end
  return reply
end
`

/**
 * Creates the state where there is none, and goes on where some of it was lost. ARGV: config, what the member has seen, '1' to change the credits of the
 * configuration to those of the first argument.
 */
export const INITIALIZE = /* @__PURE__ */ tagScript(`#!lua
local known = redis.call('HGET', KEYS[1], 'config')
local function withoutLimit(config)
  return string.match(config, ' .*$')
end
if not known then redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[6]) end
if not known or (ARGV[3] == '1' and withoutLimit(known) == withoutLimit(ARGV[1])) then redis.call('HSET', KEYS[1], 'config', ARGV[1]) end
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
look(ARGV[2])
if loss or not known then goOn(ARGV[2], false) end
return answer(known and 'unchanged' or 'created')
`)

/**
 * Makes a reservation, or moves one to the window of now, renews its lease and names its key: a second execution with the same id does no harm.
 * ARGV: config, what the member has seen, id, credits, key, or nothing where it is not known. One that is there and does not fit is released.
 */
export const RESERVE = /* @__PURE__ */ tagScript(`#!lua
${LEDGER}
local id, credits, key = ARGV[3], tonumber(ARGV[4]), ARGV[5]
local refused = enter(ARGV[1], ARGV[2], credits)
if refused then return refused end
sweep()
-- What is free needs no entry.
if credits == 0 then return answer('granted') end
local known = read(id)
if known and known.state ~= 'r' and known.state ~= 'e' then return answer('decided') end
if known and known.window == window and known.state == 'r' then
  write(id, 'r', window, credits, 0, key)
  redis.call('ZADD', LEASES, text(now + leaseMs), id)
  return answer('granted', id)
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
reserve(id, credits, key)
return answer('granted', id)
`)

/**
 * Decides a reservation: s(ettled), f(reed) or u(ncertain). The first decision counts, also where it comes before the reservation, which is then not made.
 * ARGV: what the member has seen, id, decision, charged, credits, window, age of the reservation and time since its request was sent in ms, key.
 *
 * It may grow the memory beyond its limit, because an answer that is paid for must be counted. It counts where Redis has lost its state, too.
 */
export const SETTLE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
if not config then return { 'ignored', text(now) } end
look(ARGV[1])

local id, decision, charged, ageMs, key = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[7]), ARGV[9]
local known = read(id)
if not known then
  -- A reservation that is not old was forgotten: its charge counts all the same.
  if ageMs > HOUR / 2 then return answer('ignored') end
  known = { state = 'n', window = ARGV[6], credits = tonumber(ARGV[5]), key = key }
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
    if not isShown then addLoss(key, known.window, known.credits, now - tonumber(ARGV[8])) end
  end
end
write(id, decision, known.window, known.credits, charged)
forgetLater(id, HOUR)
return answer(decision)
`)
