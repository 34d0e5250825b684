import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Decides a reservation: s(ettled), f(reed) or u(ncertain). The first decision counts.
 * ARGV: id, decision, charged, credits, window, epoch, age of the reservation in ms, key.
 *
 * It may grow the memory beyond its limit, because an answer that is paid for must be counted.
 */
export const SETTLE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
if not config then return { 'ignored', text(now) } end
look()

local id, decision, charged, ageMs, key = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[7]), ARGV[8]
local known = read(id)
if not known then
  -- A reservation of the same state that is not old was forgotten by a fail-over: its charge counts all the same.
  if ARGV[6] ~= epoch or ageMs > HOUR / 2 then return answer('ignored') end
  known = { state = 'n', window = ARGV[5], credits = tonumber(ARGV[4]), key = key }
end
if known.state ~= 'r' and known.state ~= 'e' and known.state ~= 'n' then return answer('repeated') end

local isShown, isProven = unhold(known)
local evidence = known.state == 'n' and evidenceOf(key)
if evidence then isShown = evidence.readAt >= now - ageMs end
if decision == 's' then
  add('s', known.window, charged)
  -- What was charged before the first balance is of no use.
  if charged > 0 and not isShown and redis.call('HEXISTS', BALANCES, key) == 1 then redis.call('HINCRBY', BALANCES, 'k:' .. key, text(charged)) end
elseif decision == 'u' and not isProven then
  add('u', known.window, known.credits)
  if not isShown then addProvable(key, known.window, known.credits) end
end
write(id, decision, known.window, known.credits, charged)
forgetLater(id, HOUR)
return answer(decision)
`)
