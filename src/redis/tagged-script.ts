/**
 * Makes a script end its reply with the id of its command, the last of its arguments: after a broken connection, some clients of Redis give a
 * command the reply to another one.
 */
export function tagScript(script: string): string {
  const body = script.indexOf('\n') + 1
  // The first line names the engine and has the flags.
  return `${script.slice(0, body)}local commandId = table.remove(ARGV)
local function run()
${script.slice(body)}
end
local reply = run()
if type(reply) ~= 'table' then return { reply, commandId } end
if reply.err then return redis.error_reply(reply.err .. ' ' .. commandId) end
reply[#reply + 1] = commandId
return reply
`
}

/** These errors are made by the scripts, and so end with the id of their command. */
const ERRORS_OF_SCRIPTS = /^(NOTINITIALIZED|MISMATCH) /

/** The reply without the id. @throws Error when it belongs to another command */
export function readReply(reply: unknown, commandId: string): string[] {
  const parts = Array.isArray(reply) ? reply.map(String) : []
  if (parts.pop() !== commandId) throw foreignReply()
  return parts
}

/** The error, or another one where it belongs to another command. */
export function readError(error: unknown, commandId: string): unknown {
  const { message } = Object(error) as { message?: unknown }
  const isOfScript = typeof message === 'string' && ERRORS_OF_SCRIPTS.test(message)
  return isOfScript && !message.endsWith(` ${commandId}`) ? foreignReply() : error
}

const foreignReply = () =>
  new Error(
    'The client of Redis gave a reply that belongs to another command, so it is not known whether this one was executed.',
  )
