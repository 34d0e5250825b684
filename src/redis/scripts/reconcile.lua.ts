import { tagScript } from '../command.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Compares the balance of a key with the charges known for it, by the rule of `credits/reconcile.ts`.
 * ARGV: config, what the member has seen, and for the second step: token and time of the first step, balance, key.
 *
 * The first step answers a token and the time, or nothing while requests are in flight. Where the token is still the same in the second step, nothing was
 * charged or lost between them, so the balance belongs to the charges known now. What was lost so long before the first step that it cannot be charged after
 * it is freed. Where Redis has lost a part of its state, a balance that was read before shows what that cost, and the fleet goes on.
 */
export const RECONCILE = /* @__PURE__ */ tagScript(`#!lua
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
local MAX_BALANCES = 100
look(ARGV[2])
sweep()

-- What was spent and lost changes it, too: a key whose balance was never read has no entry that could show it.
local parts = { text(epoch), window, redis.call('HGET', STATE, 'readings') or '', unpack(redis.call('HGETALL', BALANCES)) }
for _, one in ipairs(windows) do parts[#parts + 1] = redis.call('HGET', STATE, 's' .. one.id) or '' end
local token = redis.sha1hex(table.concat(parts, ' '))
if redis.call('ZCARD', LEASES) > 0 then return { 'busy' } end
if not ARGV[3] then return { 'quiet', token, text(now) } end
if ARGV[3] ~= token then return { 'busy' } end

local function forgetOldest()
  local oldest, reading
  for _, key in ipairs(redis.call('HKEYS', BALANCES)) do
    local one = string.sub(key, 1, 2) ~= 'k:' and evidenceOf(key)
    if one and (not reading or one.reading < reading) then oldest, reading = key, one.reading end
  end
  redis.call('HDEL', BALANCES, oldest, 'k:' .. oldest)
  redis.call('HSET', STATE, 'forgotten', text(nextNumber()))
end

-- Takes what a balance shows as charged from the losses, and returns what they do not explain.
local function explain(losses, isCurrent, rest)
  for _, loss in ipairs(losses) do
    if (loss.window == window) == isCurrent then
      local part = math.min(rest, loss.possible)
      loss.possible, rest = loss.possible - part, rest - part
    end
  end
  return rest
end

local quietAt, balance, key = math.min(now, tonumber(ARGV[4])), tonumber(ARGV[5]), ARGV[6]
local before = evidenceOf(key)
local fall = before and before.balance - balance - tonumber(redis.call('HGET', BALANCES, 'k:' .. key) or 0)
-- A balance that is too high shows that credits were added to the key.
local proves, reading = fall and fall >= 0, nextNumber()
local after = { balance = balance, reading = reading, since = proves and before.since or reading, readAt = now, losses = {} }
local charged, freed = 0, 0
if proves then
  -- The current window first: it must not be counted too low. A charge that no loss explains counts in it as well.
  local unexplained = explain(before.losses, true, fall)
  charged = fall - (unexplained - explain(before.losses, false, unexplained))
  for _, loss in ipairs(before.losses) do
    -- From the future: the clock was set back.
    loss.sentAt = math.min(loss.sentAt, quietAt)
    if loss.sentAt > quietAt - maxChargeDelayMs then after.losses[#after.losses + 1] = loss
    elseif loss.window == window then freed = freed + loss.credits end
  end
  add('s', window, charged)
  add('u', window, -freed)
  if loss and before.readAt < loss.at then goOn(ARGV[2], true) end
end
redis.call('HSET', STATE, 'lastReading', text(reading))
if keep(key, after) == 1 and redis.call('HLEN', BALANCES) > 2 * MAX_BALANCES then forgetOldest() end
redis.call('HSET', BALANCES, 'k:' .. key, '0')
keepKeys()
if not proves then return { fall and 'nothing' or 'first' } end
return { 'proven', text(fall), text(math.max(0, freed - charged)) }
`)
