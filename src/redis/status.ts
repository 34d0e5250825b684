import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import { creditsLeft, uncertainWithin } from '../credits/budget-core.ts'
import type { FleetStatus } from '../fleet/types.ts'
import type { Member } from './member.ts'
import { STATUS } from './scripts/windows.lua.ts'
import { parseBreakers, readMsLeft, resetOf } from './view.ts'

export async function readStatus(member: Member): Promise<FleetStatus> {
  const { command, keys, config, limit, slots, view } = member
  const sentAt = monotonicNow(systemClock)
  const [now, , msLeft, ...rest] = await command(STATUS, keys.status, [config])
  const [spent = 0, reserved = 0, uncertain = 0, taken = 0] = rest.slice(0, 4).map(Number)
  const breakers = rest.slice(4)
  view.readBreakers(Number(now), breakers, sentAt)
  return {
    limit,
    spent,
    reserved,
    uncertain: uncertainWithin(limit, { spent, reserved, uncertain }),
    available: creditsLeft(limit, { spent, reserved, uncertain }),
    resetsAt: resetOf(Number(now), readMsLeft(msLeft)),
    slots: { limit: slots, taken },
    cooldowns: parseBreakers(breakers),
  }
}
