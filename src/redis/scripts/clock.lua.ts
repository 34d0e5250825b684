/** The time of the server, unix milliseconds, and numbers as text without an exponent. Every script that needs a time begins with it. */
export const CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function text(number)
  return string.format('%.0f', number)
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
