import { LOSS_PARTS, MAX_LOSSES } from '../../credits/reconcile.ts'

/**
 * What is known of the balance of each API key. It needs the time, the configuration, STATE, BALANCES and `window`.
 *
 * `balances` holds what is known of each API key whose balance was read, by a hash of it, by the rules of `credits/reconcile.ts`:
 * `balance:reading:since:readAt`, and for each loss `;number,sentAt,credits,possible,window`. Below `k:` is what was charged to the key since the last
 * reading. Readings and losses are numbered together: `reading` is the last one of the key, `since` the first, or the last that showed a top-up: no later
 * one proves what was lost before it. Where its key is not known, any reading may show what it cost, and none
 * proves it.
 *
 * - `addLoss`: what became uncertain with a key since its balance was known. Beyond a number, losses of about the same time are counted together.
 * - `forgetBalances`: a charge of an unknown key makes every balance incomparable with the next one.
 */
export const EVIDENCE = `
local function evidenceOf(key)
  local found = key ~= '' and redis.call('HGET', BALANCES, key)
  if not found then return nil end
  local balance, reading, since, readAt, listed = string.match(found, '^(%d+):(%d+):(%d+):(%d+)([;,%d]*)$')
  -- One that an earlier version of this package wrote proves nothing.
  if not balance then return nil end
  local losses = {}
  for number, sentAt, credits, possible, of in string.gmatch(listed, ';(%d+),(%d+),(%d+),(%d+),(%d*)') do
    losses[#losses + 1] = { number = tonumber(number), sentAt = tonumber(sentAt), credits = tonumber(credits), possible = tonumber(possible), window = of }
  end
  return { balance = tonumber(balance), reading = tonumber(reading), since = tonumber(since), readAt = tonumber(readAt), losses = losses }
end

local function keep(key, one)
  local parts = { text(one.balance) .. ':' .. text(one.reading) .. ':' .. text(one.since) .. ':' .. text(one.readAt) }
  for _, loss in ipairs(one.losses) do
    parts[#parts + 1] = table.concat({ text(loss.number), text(loss.sentAt), text(loss.credits), text(loss.possible), loss.window }, ',')
  end
  return redis.call('HSET', BALANCES, key, table.concat(parts, ';'))
end

local function nextNumber()
  return redis.call('HINCRBY', STATE, 'readings', '1')
end

local function mergeLosses(losses)
  local partMs = maxChargeDelayMs / ${LOSS_PARTS}
  local merged, places = {}, {}
  for _, loss in ipairs(losses) do
    -- A loss of an earlier window is only compared with the current one.
    if loss.window ~= window then loss.window = '' end
    local part = math.ceil(math.max(now - maxChargeDelayMs, math.min(now, loss.sentAt)) / partMs) .. ' ' .. loss.window
    local other = places[part]
    if other then
      other.number, other.sentAt = loss.number, math.max(other.sentAt, loss.sentAt)
      other.credits, other.possible = other.credits + loss.credits, other.possible + loss.possible
    else
      places[part], merged[#merged + 1] = loss, loss
    end
  end
  return merged
end

local function addLoss(key, of, credits, sentAt)
  local one, number = evidenceOf(key), nextNumber()
  if one then
    one.losses[#one.losses + 1] = { number = number, sentAt = sentAt, credits = credits, possible = credits, window = of }
    if #one.losses > ${MAX_LOSSES} then one.losses = mergeLosses(one.losses) end
    keep(key, one)
  end
  return number
end

local function removeLoss(key, one, number, credits)
  for place, loss in ipairs(one.losses) do
    if loss.number == number then
      loss.credits = math.max(0, loss.credits - credits)
      loss.possible = math.min(loss.possible, loss.credits)
      if loss.credits == 0 then table.remove(one.losses, place) end
      keep(key, one)
      return true
    end
  end
  return false
end

local function forgetBalances()
  redis.call('DEL', BALANCES)
  redis.call('HSET', STATE, 'forgotten', text(nextNumber()))
end
`
