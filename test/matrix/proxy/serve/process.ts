import { type Market, openMarket } from './market.ts'

/** A server that has started. */
interface Listening {
  readonly port: number
  close(): unknown
}

/** Serves until stdin ends: prints its origin, then closes everything. The process must exit by itself. */
export async function serve(start: (market: Market) => Promise<Listening> | Listening): Promise<void> {
  const market = openMarket(process.argv[2], process.argv[3])
  const { port, close } = await start(market)
  process.stdin
    .on('end', async () => {
      await market.close()
      await close()
    })
    .resume()
  process.stdout.write(`http://127.0.0.1:${port}\n`)
}
