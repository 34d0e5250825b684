import { LEDGER } from './ledger.lua.ts'

/**
 * ARGV: config, id, credits, leaseMs. A second execution with the same id changes nothing and has the result of the first; in a later
 * window it moves the reservation there, because its request was not sent yet. Where it does not fit, it is released.
 */
export const RESERVE = `#!lua
${LEDGER}
local refused = refusal(ARGV[1])
if refused then return refused end
enterWindow()
sweep()

local id, credits = ARGV[2], tonumber(ARGV[3])
local known = read(id)
if known and known.state == 'c' then return answer('cancelled') end
if known and isUndecided(known) and known.window ~= window then
  return answer(moveHere(id, known, credits, tonumber(ARGV[4])))
end
if known then return answer('granted') end
-- What is free needs no entry.
if credits == 0 then return answer('granted') end
if credits > available() then return answer('refused') end
reserve(id, credits, tonumber(ARGV[4]))
return answer('granted')
`
