import type { HeaderLines, Reply } from '../rules/reply.ts'

/** What a front answers in place of the service. */
export interface FakeFrontAnswer {
  /** The program and version whose answer this is; undefined where many do so. */
  readonly seen?: string
  /** HTTP status. */
  readonly status: number
  /** `Content-Type`; undefined if there is none. */
  readonly type?: string
  /** What the body is. */
  readonly body: 'html' | 'text' | 'json' | 'empty'
  /** `Retry-After` in seconds. */
  readonly retryAfter?: number
}

function answers<Name extends string>(table: Record<Name, FakeFrontAnswer>): Readonly<Record<Name, FakeFrontAnswer>> {
  return table
}

/**
 * What reverse proxies and gateways answer when they lose the service's answer, by the names of the fault `front`. The names with `-timeout`
 * are for a service that is silent, the others for a connection to the service that breaks. No body is in the service's format.
 *
 * | Name | Status | `Content-Type` | Body |
 * |---|---|---|---|
 * | `nginx` | 502 | `text/html` | HTML |
 * | `nginx-timeout` | 504 | `text/html` | HTML |
 * | `nginx-missing-page` | 404 | `text/html` | HTML: `error_page` names a file that is missing |
 * | `nginx-sorry-page` | 200 | `text/html` | HTML: `error_page 502 =200` |
 * | `apache` | 502 | `text/html; charset=iso-8859-1` | HTML |
 * | `caddy` | 502 | none | empty |
 * | `caddy-timeout` | 504 | none | empty |
 * | `h2o` | 502 | `text/plain; charset=utf-8` | text |
 * | `haproxy` | 502 | `text/html` | HTML |
 * | `haproxy-timeout` | 504 | `text/html` | HTML |
 * | `lighttpd` | 500 | `text/html` | HTML |
 * | `nghttpx` | 502 | `text/html; charset=UTF-8` | HTML |
 * | `squid` | 502 | `text/html;charset=utf-8` | HTML |
 * | `traffic-server` | 502 | `text/html` | HTML |
 * | `varnish` | 503, `Retry-After: 5` | `text/html; charset=utf-8` | HTML |
 * | `json-gateway` | 502 | `application/json` | JSON: `{ "message": … }` |
 * | `json-gateway-timeout` | 504 | `application/json` | JSON: `{ "message": … }` |
 *
 * @example
 * for (const front of Object.keys(fakeFronts) as FakeFront[]) fake.fault({ front })
 */
export const fakeFronts = answers({
  nginx: { seen: 'nginx 1.22.1', status: 502, type: 'text/html', body: 'html' },
  'nginx-timeout': { seen: 'nginx 1.22.1', status: 504, type: 'text/html', body: 'html' },
  'nginx-missing-page': { seen: 'nginx 1.22.1', status: 404, type: 'text/html', body: 'html' },
  'nginx-sorry-page': { seen: 'nginx 1.22.1', status: 200, type: 'text/html', body: 'html' },
  apache: { seen: 'Apache 2.4.71', status: 502, type: 'text/html; charset=iso-8859-1', body: 'html' },
  caddy: { seen: 'Caddy 2.6.2', status: 502, body: 'empty' },
  'caddy-timeout': { seen: 'Caddy 2.6.2', status: 504, body: 'empty' },
  h2o: { seen: 'h2o 2.2.5', status: 502, type: 'text/plain; charset=utf-8', body: 'text' },
  haproxy: { seen: 'HAProxy 2.6.12', status: 502, type: 'text/html', body: 'html' },
  'haproxy-timeout': { seen: 'HAProxy 2.6.12', status: 504, type: 'text/html', body: 'html' },
  lighttpd: { seen: 'lighttpd 1.4.69', status: 500, type: 'text/html', body: 'html' },
  nghttpx: { seen: 'nghttpx 1.52.0', status: 502, type: 'text/html; charset=UTF-8', body: 'html' },
  squid: { seen: 'Squid 5.7', status: 502, type: 'text/html;charset=utf-8', body: 'html' },
  'traffic-server': { seen: 'Traffic Server 9.2.9', status: 502, type: 'text/html', body: 'html' },
  varnish: { seen: 'Varnish 7.1.1', status: 503, type: 'text/html; charset=utf-8', body: 'html', retryAfter: 5 },
  'json-gateway': { status: 502, type: 'application/json', body: 'json' },
  'json-gateway-timeout': { status: 504, type: 'application/json', body: 'json' },
})

/** A name of {@link fakeFronts}. */
export type FakeFront = keyof typeof fakeFronts

/** The answer of a front. Its body is of the same kind as the real one. */
export function frontReply(front: FakeFront): Reply {
  const { status, type, body, retryAfter }: FakeFrontAnswer = fakeFronts[front]
  const headers: HeaderLines = []
  if (type !== undefined) headers.push(['Content-Type', type])
  if (retryAfter !== undefined) headers.push(['Retry-After', String(retryAfter)])
  return { status, headers, body: BODIES[body] }
}

const BODIES: Record<FakeFrontAnswer['body'], string | null> = {
  html: '<!DOCTYPE html>\n<html><head><title>No answer</title></head><body><p>The front got no answer.</p></body></html>\n',
  text: 'The front got no answer.',
  json: '{"message":"The front got no answer."}',
  empty: null,
}
