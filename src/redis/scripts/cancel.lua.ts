import { tagScript } from '../tagged-script.ts'
import { LEDGER } from './ledger.lua.ts'

/**
 * Takes a reservation back whose answer did not arrive, and so was not used. Where it was not executed yet, it will not be: the id is
 * marked. ARGV: id.
 */
export const CANCEL = /* @__PURE__ */ tagScript(`#!lua flags=allow-oom
${LEDGER}
local id = ARGV[1]
local known = config and read(id)
if known and known.state ~= 'r' and known.state ~= 'e' then return known.state end
if known then
  look()
  unhold(known)
end
write(id, 'c', known and known.window or '0', 0, 0)
forgetLater(id, HOUR)
return 'c'
`)
