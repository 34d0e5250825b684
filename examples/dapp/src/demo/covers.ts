/** Where the pictures of the fake service's collections would be. */
export const COVERS = 'https://nft.example/*'

/** Draws the cover of a collection, another one for each address, because the demo loads nothing from elsewhere. */
export function drawCover(url: string): Response {
  const seed = [...url].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 100_003, 7)
  const hue = seed % 360
  const hills = [0, 1, 2].map((layer) => {
    const [left, top, right] = [1, 2, 3].map((corner) => 60 + ((seed * corner * (layer + 3)) % 70) + layer * 22)
    return `<path d="M0 ${left}Q80 ${top} 160 ${right}T320 ${left}V180H0Z" fill="hsl(${hue + layer * 24} 45% ${52 - layer * 14}%)"/>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180">
    <rect width="320" height="180" fill="hsl(${(hue + 190) % 360} 60% 82%)"/>
    <circle cx="${40 + (seed % 240)}" cy="${36 + (seed % 40)}" r="${16 + (seed % 14)}" fill="hsl(${(hue + 40) % 360} 90% 66%)"/>
    ${hills.join('')}
  </svg>`
  return new Response(svg, { headers: { 'content-type': 'image/svg+xml' } })
}
