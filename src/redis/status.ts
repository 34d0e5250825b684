import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import type { FleetStatus } from '../fleet/types.ts'
import type { Member } from './member.ts'
import { STATUS } from './scripts/status.lua.ts'
import { parseGuards } from './view.ts'

export async function readStatus(member: Member): Promise<FleetStatus> {
  const { command, keys, config, limit, windowMs, slots, view } = member
  const sentAt = monotonicNow(systemClock)
  const [now, window, ...rest] = await command(STATUS, keys.status, [config])
  const [spent = 0, reserved = 0, uncertain = 0, taken = 0] = rest.slice(0, 4).map(Number)
  const guards = rest.slice(4)
  view.readGuards(Number(now), guards, sentAt)
  return {
    limit,
    spent,
    reserved,
    uncertain,
    available: Math.max(0, limit - spent - reserved - uncertain),
    resetsAt: windowMs > 0 ? (Number(window) + 1) * windowMs : undefined,
    slots: { limit: slots, taken },
    cooldowns: parseGuards(guards),
  }
}
