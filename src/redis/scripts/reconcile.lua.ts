import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Compares the balance of the key with the known charges. ARGV: config, and for the second step: token of the first step, balance.
 *
 * The first step answers a token, or nothing while requests are in flight. Where the token is still the same in the second step, nothing was
 * charged between them, so the balance belongs to the charges known now.
 */
export const RECONCILE = /* @__PURE__ */ tagScript(`#!lua
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
enterWindow()
sweep()

local function number(field)
  return tonumber(redis.call('HGET', STATE, field) or 0)
end
local known, provable, older = number('known'), number('provable'), number('older')
local token = table.concat({ epoch, text(known), text(provable), text(older), window }, ':')
if redis.call('ZCARD', LEASES) > 0 then return { 'busy' } end
if not ARGV[2] then return { 'quiet', token } end
if ARGV[2] ~= token then return { 'busy' } end

local balance, knownThen = unpack(redis.call('HMGET', STATE, 'balance', 'balanceKnown'))
redis.call('HSET', STATE, 'balance', ARGV[3], 'balanceKnown', text(known), 'provable', '0', 'older', '0')
if not balance then return { 'first' } end
local lost = tonumber(balance) - tonumber(ARGV[3]) - (known - tonumber(knownThen))
-- Credits were added to the key.
if lost < 0 then return { 'nothing' } end
-- The current window first, because it must not be counted too low. Beyond every doubt, the window of a charge is unknown.
redis.call('HINCRBY', STATE, 'proofs', '1')
local charged = lost - math.min(math.max(0, lost - provable), older)
add('s', window, charged)
add('u', window, -provable)
return { 'proven', text(lost), text(math.max(0, provable - charged)) }
`)
