import { staticMiddleware } from 'srvx/static'

/** The names of these files have a hash of their content, so they never change. */
const HASHED = '/assets/'
const FOR_EVER = 'public, max-age=31536000, immutable'
const notFound = () => new Response('Not found', { status: 404 })

/** Serves the files of a build. Browsers keep the hashed ones, and ask for what names them, `index.html`, at each visit. */
export function createPageServer(dir: string): (request: Request) => Promise<Response> {
  const findFile = staticMiddleware({ dir })
  return async (request) => {
    const response = await findFile(request, notFound)
    const isHashed = response.status < 400 && new URL(request.url).pathname.startsWith(HASHED)
    response.headers.set('cache-control', isHashed ? FOR_EVER : 'no-cache')
    return response
  }
}
