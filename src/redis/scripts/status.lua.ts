import { tagScript } from '../tagged-script.ts'

/**
 * The totals of now, without a write. KEYS: state, operations, leases, slots, guards. ARGV: config.
 * Answers the time, the window, spent, reserved, uncertain, the slots taken, then each refused scope and its guard.
 */
export const STATUS = /* @__PURE__ */ tagScript(`#!lua flags=no-writes
local config, stored, setBackAt = unpack(redis.call('HMGET', KEYS[1], 'config', 'window', 'setBackAt'))
if not config then return redis.error_reply('NOTINITIALIZED The fleet has no state.') end
if config ~= ARGV[1] then return redis.error_reply('MISMATCH ' .. config) end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local windowMs = tonumber(string.match(config, '^%d+ (%d+) '))
local index = windowMs > 0 and math.floor(tonumber(now) / windowMs) or 0
local isOver = setBackAt and tonumber(now) - tonumber(setBackAt) >= windowMs
local window = string.format('%.0f', isOver and index or math.max(index, tonumber(stored or 0)))
local counts = redis.call('HMGET', KEYS[1], 's' .. window, 'r' .. window, 'u' .. window)
local spent, reserved, uncertain = tonumber(counts[1] or 0), tonumber(counts[2] or 0), tonumber(counts[3] or 0)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now)) do
  local state, of, credits = string.match(redis.call('HGET', KEYS[2], id) or '', '^(%a):(%d+):(%d+)')
  if state == 'r' and of == window then
    reserved, uncertain = reserved - tonumber(credits), uncertain + tonumber(credits)
  end
end
local reply = { now, window }
for _, number in ipairs({ spent, reserved, uncertain, redis.call('ZCOUNT', KEYS[4], '(' .. now, '+inf') }) do
  reply[#reply + 1] = string.format('%.0f', number)
end
for _, part in ipairs(redis.call('HGETALL', KEYS[5])) do reply[#reply + 1] = part end
return reply
`)
