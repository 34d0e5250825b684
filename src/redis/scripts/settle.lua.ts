import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Decides a reservation: s(ettled), f(reed) or u(ncertain). The first decision counts.
 * ARGV: id, decision, charged, credits, window, epoch, age of the reservation and time since its request was sent in ms, maxChargeDelayMs, key.
 *
 * It may grow the memory beyond its limit, because an answer that is paid for must be counted.
 */
export const SETTLE = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
if not config then return { 'ignored', text(now) } end
look()

local id, decision, charged, ageMs, key = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[7]), ARGV[10]
local known = read(id)
if not known then
  -- A reservation of the same state that is not old was forgotten by a fail-over: its charge counts all the same.
  if ARGV[6] ~= epoch or ageMs > HOUR / 2 then return answer('ignored') end
  known = { state = 'n', window = ARGV[5], credits = tonumber(ARGV[4]), key = key }
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
    if not isShown then addLoss(key, known.window, known.credits, now - tonumber(ARGV[8]), tonumber(ARGV[9])) end
  end
end
write(id, decision, known.window, known.credits, charged)
forgetLater(id, HOUR)
return answer(decision)
`)
