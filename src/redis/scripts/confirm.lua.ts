import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

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
