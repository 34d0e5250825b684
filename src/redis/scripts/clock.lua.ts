/** The time of the server, unix milliseconds, and numbers as text without an exponent. Every script that needs a time begins with it. */
export const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number)
  return string.format('%.0f', number)
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

/**
 * Leases are scored by their end. One that ends later than leases last was written while the clock was ahead: it lasts for one lease from now on. Those of
 * other members may be some times as long.
 */
export const LEASES_IN_TIME = `
local MAX_LEASES = 4
local function shorten(leases, leaseMs)
  local ahead = redis.call('ZRANGEBYSCORE', leases, '(' .. text(now + MAX_LEASES * leaseMs), '+inf', 'LIMIT', 0, 500)
  for _, one in ipairs(ahead) do redis.call('ZADD', leases, text(now + leaseMs), one) end
end
`
