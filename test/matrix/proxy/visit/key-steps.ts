import { check } from '../../scenario/check.ts'
import { KEY } from '../settings.ts'
import { codeOf, type VisitContext } from './context.ts'
import { ADDRESSES } from './paths.ts'

/** The service names the key in an error. */
export async function theServiceNamesTheKey({ ask, service }: VisitContext): Promise<void> {
  const error = { code: `${KEY}_refused`, message: `The key ${KEY} is refused.` }
  await service.reset([
    { operation: 'token.get', status: 400, body: { error } },
    { operation: 'etn.price', status: 401, body: { error } },
  ])
  const invalid = await ask(`/tokens/52014/${ADDRESSES[0]}`, 'key', { headers: { authorization: 'Bearer esk_page' } })
  check('400 of the service', invalid.status, 400)
  if (!invalid.text.includes('is refused')) throw new Error(`The message is lost: ${invalid.text}`)
  const refused = await ask('/prices/etn', 'key')
  check('401 of the service', [refused.status, codeOf(refused)], [502, 'upstream_refused'])
  check('keys in the journal', [...new Set((await service.journal()).map(({ key }) => key))], [KEY])
}

/** Has to be the last step. */
export async function theKeyIsInNoAnswer({ received }: VisitContext): Promise<void> {
  const text = received.join('\n')
  for (const spelling of [KEY, JSON.stringify(KEY).slice(1, -1), encodeURIComponent(KEY), KEY.slice(-8)])
    if (text.includes(spelling)) throw new Error(`An answer holds ${spelling}.`)
  check('answers are read', received.length > 20, true)
}
