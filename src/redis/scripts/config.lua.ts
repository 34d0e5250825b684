import type { FleetSettings } from '../options.ts'

/** What all members must state alike, as the scripts keep and compare it: a difference would break the limits, or end the leases, of others. */
export function configOf({ windowMs, slots, leaseMs, maxChargeDelayMs }: FleetSettings, limit: number): string {
  return [limit, windowMs, slots, leaseMs, maxChargeDelayMs].join(' ')
}

const NAMES = ['credits', 'windowMs', 'heavyConcurrency', 'leaseMs', 'maxChargeDelayMs']

/** What differs between the configuration of a fleet and that of a member, for people. */
export function compareConfigs(found: string, expected: string) {
  const [ofFleet, ofMember] = [found.split(' '), expected.split(' ')]
  const names = NAMES.filter((_, index) => ofFleet[index] !== ofMember[index])
  const describe = (values: readonly string[]) =>
    names.map((name) => `${name} ${values[NAMES.indexOf(name)]}`.replace('windowMs 0', 'no windowMs')).join(', ')
  return { found: describe(ofFleet), expected: describe(ofMember), isCreditsOnly: names.join() === 'credits' }
}

/**
 * Reads the configuration, and answers the error for a member that states another one: without a state nobody knows what was spent. It needs STATE.
 *
 * `keepMs` is how long the keys of a fleet are kept that nobody uses: for more than a year, because a clock may be a year ahead for a moment.
 */
export const CONFIG = `
local config = redis.call('HGET', STATE, 'config')
local limit, windowMs, slotLimit, leaseMs, maxChargeDelayMs = string.match(config or '0 0 0 0 0', '^(%d+) (%d+) (%d+) (%d+) (%d+)$')
limit, windowMs, slotLimit = tonumber(limit), tonumber(windowMs), tonumber(slotLimit)
leaseMs, maxChargeDelayMs = tonumber(leaseMs), tonumber(maxChargeDelayMs)

local DAY = 86400000
local keepMs = math.max(400 * DAY, 3 * windowMs)

local function refusal(expected)
  if not config then return redis.error_reply('NOTINITIALIZED The fleet has no state.') end
  if config ~= expected then return redis.error_reply('MISMATCH ' .. config) end
end
`
