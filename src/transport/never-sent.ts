/** Codes of failures in which no byte of the request reached the server. */
const NEVER_SENT_CODE =
  /^(ERR_NO_FETCH|ERR_INVALID_URL|ERR_INVALID_PROTOCOL|ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|CERT_\w+|ERR_TLS_CERT_\w+|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\w*HANDSHAKE_FAILURE|TLSV1_ALERT_\w+)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

/** `fetch` blocks some ports, and gives no code: the first wording is Node's, the second one Safari's. */
const BLOCKED_PORT = /^bad port$|restricted network port/i

const MAX_DEPTH = 5

/** A code of this library for requests that a transport does not send. */
export const NOT_SENT = 'ERR_NO_FETCH'

/** Whether an error, or a cause of it, shows that the request never reached the server. */
export function isNeverSent(error: unknown): boolean {
  for (let inner = error, depth = 0; typeof inner === 'object' && inner !== null && depth < MAX_DEPTH; depth++) {
    const { code, message, errors, cause } = inner as Record<'code' | 'message' | 'errors' | 'cause', unknown>
    if (Array.isArray(errors) && errors.length > 0) return errors.every(isNeverSent)
    if (typeof code === 'string' && NEVER_SENT_CODE.test(code)) return true
    if (typeof message === 'string' && BLOCKED_PORT.test(message)) return true
    inner = cause
  }
  return false
}
