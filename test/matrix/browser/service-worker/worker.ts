import { registerRoute } from 'workbox-routing'
import { CacheFirst } from 'workbox-strategies'

/** The types of a service worker contradict those of a page, which this project has. */
interface ServiceWorker {
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
  addEventListener(type: string, listener: (event: { waitUntil(promise: Promise<unknown>): void }) => void): void
}

const worker = self as unknown as ServiceWorker

// The line of the guide, which leaves the proxy alone, where the URL of the worker asks for it.
const leaves = location.search === '?leaves'
registerRoute(({ url }) => !(leaves && url.pathname.startsWith('/api/market/')), new CacheFirst())
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))
