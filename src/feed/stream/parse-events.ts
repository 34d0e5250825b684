/** One event of a stream, as the HTML standard defines `text/event-stream`. */
export interface ServerSentEvent {
  readonly type: string
  readonly data: string
  /** The last id that the stream has sent so far; empty before the first. */
  readonly lastId: string
}

/** Longer than an event with 50 prices; what has no end is not collected, in one line or in many. */
const MAX_LENGTH = 1_000_000

/**
 * Reads events from the text of a stream, in any parts. Comments and events without data are left out. It throws a RangeError for an event
 * that is too long.
 */
export function createEventParser(): (text: string) => ServerSentEvent[] {
  let rest = ''
  let lastId = ''
  let type = ''
  let data: string[] = []
  let dataLength = 0

  function endEvent(): ServerSentEvent[] {
    const event = { type: type || 'message', data: data.join('\n'), lastId }
    const isEmpty = data.length === 0
    type = ''
    data = []
    dataLength = 0
    return isEmpty ? [] : [event]
  }

  function readLine(line: string): ServerSentEvent[] {
    if (line === '') return endEvent()
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'data') {
      data.push(value)
      dataLength += value.length + 1
    } else if (name === 'event') type = value
    else if (name === 'id' && !value.includes('\0')) lastId = value
    return []
  }

  return (text) => {
    rest += text
    if (rest.length + dataLength > MAX_LENGTH)
      throw new RangeError(`The stream has sent an event of over ${MAX_LENGTH} characters.`)
    // A line feed may still follow a carriage return.
    const end = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r', rest.length - 2)) + 1
    if (end === 0) return []
    const lines = rest.slice(0, end).split(/\r\n|\r|\n/)
    lines.pop()
    rest = rest.slice(end)
    return lines.flatMap(readLine)
  }
}
