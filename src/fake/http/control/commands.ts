import type { FakeService } from '../../types.ts'
import type { Commands } from './command.ts'
import { faultCommands } from './fault-commands.ts'
import { expectationCommands, readingCommands } from './observe-commands.ts'
import { keyAndTimeCommands, stateCommands, worldCommands } from './state-commands.ts'

/** All control routes. */
export function createCommands(fake: FakeService, maxSnapshots: number): Commands {
  return {
    ...readingCommands(fake),
    ...faultCommands(fake),
    ...keyAndTimeCommands(fake),
    ...worldCommands(fake),
    ...stateCommands(fake, maxSnapshots),
    ...expectationCommands(fake),
  }
}
