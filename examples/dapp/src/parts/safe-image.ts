const IPFS_GATEWAY = 'https://ipfs.io/ipfs/'

/**
 * The address of a picture that others have chosen, if a page may load it: by https, or by a gateway of IPFS. Undefined for everything
 * else, such as `http:`, `data:` and `javascript:`.
 */
export function safeImageUrl(text: string | null | undefined): string | undefined {
  // Written ipfs://<id>/<path> or ipfs://ipfs/<id>/<path>.
  const url = (text ?? '').trim().replace(/^ipfs:\/\/(?:ipfs\/)?/i, IPFS_GATEWAY)
  return URL.canParse(url) && new URL(url).protocol === 'https:' ? new URL(url).href : undefined
}
