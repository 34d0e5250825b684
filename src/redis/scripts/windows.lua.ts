import { tagScript } from '../command.ts'
import { CLOCK } from './clock.lua.ts'
import { CONFIG } from './config.lua.ts'

/**
 * The windows of a fleet: which one is that of now, what counts, what is left. These are the rules of `credits/windows.ts` and `budget-core.ts` in Lua;
 * `test/redis/windows.test.ts` compares both, whatever the clock does. It needs STATE and OPERATIONS.
 *
 * The hash `state` has the configuration and the counts, so that an eviction takes both and the fleet refuses. `windows` lists `id:index:countsUntil`, the
 * window of now first; the counts of a window are in `s`, `r` and `u` with its id: spent, reserved, uncertain. The id is its index, or a greater
 * number where the clock was set back: then no late decision reaches a window that only has the index of its own. `latest` is the time of the
 * last look, which shows that the clock was set back. `epoch` and `revision` order all looks: an epoch begins with `initialize`, the revision grows with each look.
 *
 * - `holdCounted`: when the clock is set back, what counted goes on for the length of a window, or until its own end.
 * - `enterWindow` puts the window of now first, and answers the windows that do not matter any more, and what has changed. Of those that are over, the newest is kept:
 *   the clock may be set back to it.
 * - `counts`: what is reserved in another window may be sent now too, and is then reserved here, so it is uncertain there. Beyond the safe integers a sum
 *   stays at the largest, which exceeds every limit. It answers the counts of the window of now alone, too.
 * - `seenNow`: what a member remembers of an answer, `epoch revision window spent held`, and the id of a reservation and the time where one was granted. It
 *   states it in its next commands.
 * - `seenMore`: what a member has seen spent and held in this window, where Redis has forgotten some of it: it was started from an old snapshot, or a
 *   replica took over. Other members may have made up the revision since, and not its newest reservation. That is kept for an hour; one of
 *   before `unsureUntil` may have been forgotten sooner, because the clock was set back. `readLoss` reads what members have reported, `lost` as `window:spent:held:time`.
 */
export const WINDOWS = `${CLOCK}${CONFIG}
local HOUR = 3600000
local found = redis.call('HMGET', STATE, 'latest', 'newest', 'windows', 'lost', 'epoch', 'revision', 'unsureUntil')
local latest, newestId, listed, lost = found[1], found[2], found[3], found[4] or ''
local epoch, revision, unsureUntil = tonumber(found[5] or 0), tonumber(found[6] or 0), tonumber(found[7] or 0)
local windows = {}
for id, index, countsUntil in string.gmatch(listed or '', '(%d+):(%d+):(%d+)') do
  windows[#windows + 1] = { id = id, index = tonumber(index), countsUntil = tonumber(countsUntil) }
end

local function endOf(window)
  return windowMs > 0 and (window.index + 1) * windowMs or math.huge
end

local function isCounted(window, at)
  return at < window.countsUntil or (at >= window.index * windowMs and at < endOf(window))
end

local function holdCounted()
  if not latest or now >= tonumber(latest) then return false end
  for _, window in ipairs(windows) do
    if isCounted(window, tonumber(latest)) then window.countsUntil = math.min(endOf(window), now + windowMs) end
  end
  return true
end

local function forgetPast()
  local kept, newest, forgotten = {}, nil, {}
  for _, window in ipairs(windows) do
    if isCounted(window, now) or endOf(window) > now then
      kept[#kept + 1] = window
    elseif not newest or window.index > newest.index then
      forgotten[#forgotten + 1], newest = newest, window
    else
      forgotten[#forgotten + 1] = window
    end
  end
  kept[#kept + 1] = newest
  windows = kept
  return forgotten
end

local function enterWindow()
  local isHeld = holdCounted()
  local index = windowMs > 0 and math.floor(now / windowMs) or 0
  if windows[1] and windows[1].index == index then return {}, false, isHeld end
  local current
  for place, window in ipairs(windows) do
    if window.index == index then current = table.remove(windows, place) break end
  end
  if not current then
    newestId = text(math.max(index, tonumber(newestId or -1) + 1))
    current = { id = newestId, index = index, countsUntil = 0 }
  end
  table.insert(windows, 1, current)
  return forgetPast(), true, isHeld
end

local MAX_CREDITS = ${Number.MAX_SAFE_INTEGER}

local function counts()
  local spent, reserved, uncertain, own = 0, 0, 0, {}
  for place, window in ipairs(windows) do
    if place == 1 or isCounted(window, now) then
      local found = redis.call('HMGET', STATE, 's' .. window.id, 'r' .. window.id, 'u' .. window.id)
      local held = tonumber(found[2] or 0)
      spent, uncertain = spent + tonumber(found[1] or 0), uncertain + tonumber(found[3] or 0)
      if place == 1 then reserved, own = held, { spent = spent, held = held + uncertain } else uncertain = uncertain + held end
    end
  end
  return math.min(MAX_CREDITS, spent), reserved, math.min(MAX_CREDITS, uncertain), own
end

local function fits(credits)
  local spent, reserved, uncertain = counts()
  return credits <= math.max(0, limit - spent - reserved - uncertain)
end

local function msLeft()
  return windowMs > 0 and text(endOf(windows[1]) - now) or ''
end

local function seenNow(own, id)
  local seen = table.concat({ text(epoch), text(revision), windows[1].id, text(own.spent), text(own.held) }, ' ')
  return id and seen .. ' ' .. id .. ' ' .. text(now) or seen
end

local function seenMore(seen)
  local of, revisionSeen, window, spent, held, id, at = string.match(seen, '^(%d+) (%d+) (%d+) (%d+) (%d+) ?(%S*) ?(%d*)$')
  if window ~= windows[1].id or tonumber(of) < epoch then return nil end
  local left = tonumber(redis.call('HGET', STATE, 's' .. window) or 0)
  spent, held = tonumber(spent), tonumber(held)
  at = tonumber(at) or 0
  local isKnown = at <= math.max(unsureUntil, now - HOUR / 2) or redis.call('HEXISTS', OPERATIONS, id) == 1
  if not isKnown or tonumber(of) > epoch or tonumber(revisionSeen) > revision or spent > left then return spent, held end
end

local function readLoss()
  local window, spent, held, at = string.match(lost, '^(%d+):(%d+):(%d+):(%d+)$')
  return window == windows[1].id and { spent = tonumber(spent), held = tonumber(held), at = tonumber(at) } or nil
end

local function lossError()
  return redis.error_reply('STATELOST Redis has forgotten a part of the state.')
end
`

/**
 * The totals of now, without a write. KEYS: state, operations, leases, slots, breakers. ARGV: config, what the member has seen.
 * Answers as those that write, with the slots that are taken in place of a verdict.
 */
export const STATUS = /* @__PURE__ */ tagScript(`#!lua flags=no-writes
local STATE, OPERATIONS, LEASES, SLOTS, BREAKERS = unpack(KEYS)
${WINDOWS}
local refused = refusal(ARGV[1])
if refused then return refused end
enterWindow()
if readLoss() or seenMore(ARGV[2]) then return lossError() end
local spent, reserved, uncertain, own = counts()
for _, id in ipairs(redis.call('ZRANGEBYSCORE', LEASES, '-inf', text(now))) do
  local state, of, credits = string.match(redis.call('HGET', OPERATIONS, id) or '', '^(%a):(%d+):(%d+)')
  if state == 'r' and of == windows[1].id then
    reserved, uncertain = reserved - tonumber(credits), uncertain + tonumber(credits)
  end
end
local taken = redis.call('ZCOUNT', SLOTS, '(' .. text(now), '+inf')
local reply = { text(taken), text(now), seenNow(own), windows[1].id, msLeft(), text(spent), text(reserved), text(uncertain) }
for _, part in ipairs(redis.call('HGETALL', BREAKERS)) do reply[#reply + 1] = part end
return reply
`)
