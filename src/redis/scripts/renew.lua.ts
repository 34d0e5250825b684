import { tagScript } from '../tagged-script.ts'
import { CLOCK } from './clock.lua.ts'

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
