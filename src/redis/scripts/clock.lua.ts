import { tagScript } from '../command.ts'

/** The time of the server, unix milliseconds, and numbers as text without an exponent. Every script that needs a time begins with it. */
export const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number)
  return string.format('%.0f', number)
end

-- Keys that nobody uses any more end by themselves.
local function endLater(keys, ms, ...)
  for _, key in ipairs(keys) do redis.call('PEXPIRE', key, text(ms), ...) end
end
`

/**
 * Circuit breakers: `until:limit:since` for each scope whose breaker is not closed, when it becomes half open, how many probes may then be in flight, and when that was written.
 * One that was written while the clock was ahead keeps its length. It needs BREAKERS.
 */
export const COOLDOWNS = `
local function readBreaker(name, found)
  local till, limit, since = string.match(found or '', '^(%d+):(%d+):?(%d*)$')
  if till and since ~= '' and tonumber(since) > now then
    till, since = text(now + math.max(0, tonumber(till) - tonumber(since))), text(now)
    found = till .. ':' .. limit .. ':' .. since
    redis.call('HSET', BREAKERS, name, found)
  end
  return tonumber(till or 0), tonumber(limit or 0), till and found
end

local function breakers()
  local all = redis.call('HGETALL', BREAKERS)
  for index = 2, #all, 2 do
    local _, _, found = readBreaker(all[index - 1], all[index])
    all[index] = found or all[index]
  end
  return all
end
`

/** Leases are scored by their end. One that ends later than a new one would was written while the clock was ahead: it lasts for one lease from now on. */
export const LEASES_IN_TIME = `
local function shorten(leases, leaseMs)
  local ends = text(now + leaseMs)
  local ahead = redis.call('ZRANGEBYSCORE', leases, '(' .. ends, '+inf', 'LIMIT', 0, 500)
  for _, one in ipairs(ahead) do redis.call('ZADD', leases, ends, one) end
end
`

/** Renews leases that others have not taken over. KEYS: sorted sets of leases. ARGV: leaseMs, then number of the key and id of each lease. */
export const RENEW = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${CLOCK}
local ends = text(now + tonumber(ARGV[1]))
local held = {}
for index = 2, #ARGV, 2 do
  local key = KEYS[tonumber(ARGV[index])]
  local isHeld = redis.call('ZSCORE', key, ARGV[index + 1])
  if isHeld then redis.call('ZADD', key, ends, ARGV[index + 1]) end
  held[#held + 1] = isHeld and 1 or 0
end
return held
`)

/**
 * Leases of the feed: who buys the price of an address, a key for each with `owner end`. ARGV: owner, leaseMs, 0 to end the owner's leases. Answers 1 for
 * each that the owner may buy. One that ends later than a new one would was written while the clock was ahead: it lasts for one lease from now on.
 */
export const BUY = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${CLOCK}
local owner, leaseMs = ARGV[1], tonumber(ARGV[2])
local reply = {}
for index, key in ipairs(KEYS) do
  local holder, ends = string.match(redis.call('GET', key) or '', '^(%S+) (%d+)$')
  local isFree = not holder or holder == owner or tonumber(ends) <= now
  if leaseMs == 0 then
    if holder == owner then redis.call('DEL', key) end
  elseif isFree or tonumber(ends) > now + leaseMs then
    redis.call('SET', key, (isFree and owner or holder) .. ' ' .. text(now + leaseMs), 'PX', text(2 * leaseMs))
  end
  reply[index] = isFree and 1 or 0
end
return reply
`)
