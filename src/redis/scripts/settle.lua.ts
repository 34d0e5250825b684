import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Decides a reservation: s(ettled), f(reed) or u(ncertain). The first decision counts.
 * ARGV: id, decision, charged, credits, window, epoch, time of the reservation.
 *
 * It may grow the memory beyond its limit, because an answer that is paid for must be counted.
 */
export const SETTLE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
if not config then return { 'ignored', text(now) } end
enterWindow()

local id, decision, charged = ARGV[1], ARGV[2], tonumber(ARGV[3])
local known = read(id)
if not known then
  -- A reservation of the same state that is not old was forgotten by a fail-over: its charge counts all the same.
  if ARGV[6] ~= epoch or now - tonumber(ARGV[7]) > HOUR / 2 then return answer('ignored') end
  known = { state = 'n', window = ARGV[5], credits = tonumber(ARGV[4]), extra = '0' }
end
if known.state ~= 'r' and known.state ~= 'e' and known.state ~= 'n' then return answer('repeated') end
local isProven = known.state == 'e' and known.extra ~= (redis.call('HGET', STATE, 'proofs') or '0')
unhold(known)
if decision == 's' then
  add('s', known.window, charged)
  if not isProven and charged > 0 then redis.call('HINCRBY', STATE, 'known', text(charged)) end
elseif decision == 'u' and not isProven then
  add('u', known.window, known.credits)
  addDoubt(known.window, known.credits)
end
write(id, decision, known.window, known.credits, text(charged))
forgetLater(id, HOUR)
return answer(decision)
`)
