// What the recipes use of frameworks that only `test/matrix` installs. There they are compiled with the real types.

declare module 'hono' {
  interface Context {
    req: { raw: Request }
    header(name: string, value: string): void
    html(text: string): Response
  }
  type Handler = (context: Context) => Response | Promise<Response>
  export class Hono {
    all(path: string, handler: Handler): void
    get(path: string, handler: Handler): void
  }
}

declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  type Handler = (request: IncomingMessage & { originalUrl: string }, response: ServerResponse) => unknown
  export interface Express {
    use(path: string, handler: Handler): void
    get(path: string, handler: Handler): void
  }
  function express(): Express
  // biome-ignore lint/style/noDefaultExport: that is how Express exports it
  export default express
}

declare module 'next/server' {
  export interface NextRequest extends Request {}
  export class NextResponse extends Response {
    static next(): NextResponse
  }
}

declare module 'react-native' {
  import type { ReactElement, ReactNode } from 'react'

  export const AppState: {
    readonly currentState: string | null | undefined
    addEventListener(type: 'change', listener: (state: string) => void): { remove(): void }
  }
  export function FlatList<Item>(props: {
    data: readonly Item[]
    keyExtractor(item: Item): string
    renderItem(row: { item: Item }): ReactElement
  }): ReactElement
  export function Text(props: { style?: { opacity: number }; children: ReactNode }): ReactElement
  export function View(props: { children: ReactNode }): ReactElement
}

declare module 'expo/fetch' {
  export const fetch: (url: string, init?: object) => Promise<Response>
}
