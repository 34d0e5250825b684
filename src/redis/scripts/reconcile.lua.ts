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
look()
sweep(tonumber(ARGV[2]))

local token = table.concat({ epoch, redis.call('HGET', STATE, 'changes') or '0', window }, ':')
if redis.call('ZCARD', LEASES) > 0 then return { 'busy' } end
if not ARGV[3] then return { 'quiet', token } end
if ARGV[3] ~= token then return { 'busy' } end

local balance, key = tonumber(ARGV[4]), ARGV[5]
local before = evidenceOf(key)
local lost = before.balance and before.balance - balance - before.known
-- A balance that is too high shows that credits were added to the key.
local proves, reading = lost and lost >= 0, nextReading()
keep(key, { balance = balance, known = 0, provable = 0, older = 0, reading = reading, proof = proves and reading or before.proof, readAt = now })
if not proves then return { lost and 'nothing' or 'first' } end
-- The current window first, because it must not be counted too low. Beyond every doubt, the window of a charge is unknown.
local charged = lost - math.min(math.max(0, lost - before.provable), before.older)
add('s', window, charged)
add('u', window, -before.provable)
return { 'proven', text(lost), text(math.max(0, before.provable - charged)) }
`)
