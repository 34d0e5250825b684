import { tagScript } from '../tagged-script.ts'
import { WINDOWS } from './windows.lua.ts'

/**
 * The totals of now, without a write. KEYS: state, operations, leases, slots, breakers. ARGV: config.
 * Answers the time, the window and how long it lasts, spent, reserved, uncertain, the slots taken, then each refused scope and its breaker.
 */
export const STATUS = /* @__PURE__ */ tagScript(`#!lua flags=no-writes
local STATE, OPERATIONS, LEASES, SLOTS, BREAKERS = unpack(KEYS)
${WINDOWS}
if not config then return redis.error_reply('NOTINITIALIZED The fleet has no state.') end
if config ~= ARGV[1] then return redis.error_reply('MISMATCH ' .. config) end
enterWindow()
local spent, reserved, uncertain = counts()
for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', text(now))) do
  local state, of, credits = string.match(redis.call('HGET', OPERATIONS, id) or '', '^(%a):(%d+):(%d+)')
  if state == 'r' and of == windows[1].id then
    reserved, uncertain = reserved - tonumber(credits), uncertain + tonumber(credits)
  end
end
local reply = { text(now), windows[1].id, msLeft() }
for _, number in ipairs({ spent, reserved, uncertain, redis.call('ZCOUNT', SLOTS, '(' .. text(now), '+inf') }) do
  reply[#reply + 1] = text(number)
end
for _, part in ipairs(redis.call('HGETALL', BREAKERS)) do reply[#reply + 1] = part end
return reply
`)
