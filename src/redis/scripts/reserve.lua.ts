import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

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
