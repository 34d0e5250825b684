import { formatPrice } from 'etn-market/format'
import { createPriceStream } from 'etn-market/stream'

const TOKENS = ['0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1', '0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77']

const stream = createPriceStream({ url: '/api/market' })
const list = document.querySelector('ul')
for (const address of TOKENS) {
  const item = document.createElement('li')
  item.textContent = 'no price yet'
  list?.append(item)
  stream.watch(address, {
    onPrice: ({ usd, stale }) => {
      item.textContent = formatPrice(usd) + (stale ? ' (old)' : '')
    },
    onError: (error) => {
      item.textContent = String(error)
    },
  })
}
