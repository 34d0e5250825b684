import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Compares the balance of a key with the charges known for it. ARGV: config, leaseMs, and for the second step: token of the first step, balance, key.
 *
 * The first step answers a token, or nothing while requests are in flight. Where the token is still the same in the second step, nothing was
 * charged between them, so the balance belongs to the charges known now.
 */
export const RECONCILE = /* @__PURE__ */ tagScript(`#!lua
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
local MAX_BALANCES = 100
look()
sweep(tonumber(ARGV[2]))

local token = redis.sha1hex(table.concat({ epoch, window, unpack(redis.call('HGETALL', BALANCES)) }, ' '))
if redis.call('ZCARD', LEASES) > 0 then return { 'busy' } end
if not ARGV[3] then return { 'quiet', token } end
if ARGV[3] ~= token then return { 'busy' } end

local function forgetOldest()
  local oldest, reading
  for _, key in ipairs(redis.call('HKEYS', BALANCES)) do
    local one = string.sub(key, 1, 2) ~= 'k:' and evidenceOf(key)
    if one and (not reading or one.reading < reading) then oldest, reading = key, one.reading end
  end
  redis.call('HDEL', BALANCES, oldest, 'k:' .. oldest)
  redis.call('HSET', STATE, 'forgotten', redis.call('HGET', STATE, 'readings'))
end

local balance, key = tonumber(ARGV[4]), ARGV[5]
local before = evidenceOf(key)
local lost = before and before.balance - balance - tonumber(redis.call('HGET', BALANCES, 'k:' .. key) or 0)
-- A balance that is too high shows that credits were added to the key.
local proves, reading = lost and lost >= 0, redis.call('HINCRBY', STATE, 'readings', '1')
local proof = proves and reading or before and before.proof or select(2, readingOf(key))
if keep(key, { balance = balance, provable = 0, older = 0, reading = reading, proof = proof, readAt = now }) == 1 and redis.call('HLEN', BALANCES) > 2 * MAX_BALANCES then
  forgetOldest()
end
redis.call('HSET', BALANCES, 'k:' .. key, '0')
if not proves then return { lost and 'nothing' or 'first' } end
-- The current window first, because it must not be counted too low. The window of any charge beyond provable and older is unknown.
local charged = lost - math.min(math.max(0, lost - before.provable), before.older)
add('s', window, charged)
add('u', window, -before.provable)
return { 'proven', text(lost), text(math.max(0, before.provable - charged)) }
`)
