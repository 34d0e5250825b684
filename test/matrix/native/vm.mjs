// Runs the bundle of an app in a bare VM, with what is native in React Native and Expo: `node vm.mjs BUNDLE ARGUMENTS-IN-JSON`. What Hermes itself
// brings is taken from this runtime. Prints what the app hands to `report`.
import { readFileSync } from 'node:fs'
import http from 'node:http'
import vm from 'node:vm'

const [bundle, appArguments = '[]'] = process.argv.slice(2)
const blobs = new Map()
let ids = 0
/** What the app printed as an error, which its developer sees on the whole screen. */
const errors = []

/** Starts a request, and calls back with its head, its parts, and its end. Returns a function that ends it. */
function send({ url, method = 'GET', headers = {} }, onHead, onPart, onEnd) {
  let hasEnded = false
  const end = (error) => {
    if (hasEnded) return
    hasEnded = true
    onEnd(error)
  }
  const request = http.request(url, { method, headers, agent: false }, (response) => {
    onHead(response)
    response.on('data', onPart)
    response.on('end', () => end())
    response.on('error', end)
  })
  request.on('error', end)
  request.end()
  return () => {
    hasEnded = true
    request.destroy()
  }
}

/** `XMLHttpRequest` of React Native is written over this: it learns of the body when it has ended. */
function createNetworking(emit) {
  const running = new Map()
  return {
    sendRequest({ url, method, headers, responseType }, callback) {
      const id = ++ids
      callback(id)
      const parts = []
      const stop = send(
        { url, method, headers },
        ({ statusCode, headers }) => emit('didReceiveNetworkResponse', [id, statusCode, { ...headers }, url]),
        (part) => parts.push(part),
        (error) => {
          const body = Buffer.concat(parts)
          const blobId = `blob-${id}`
          if (!error && responseType === 'blob') blobs.set(blobId, body)
          const data = responseType === 'blob' ? { blobId, offset: 0, size: body.length } : String(body)
          if (!error) emit('didReceiveNetworkData', [id, data])
          emit('didCompleteNetworkResponse', [id, error && 'The network connection was lost.', false])
        },
      )
      running.set(id, stop)
    },
    abortRequest: (id) => running.get(id)?.(),
    addListener() {},
    removeListeners() {},
  }
}

/** What `fetch` of Expo is written over. It brings a body while it arrives. */
function createExpoFetch(realm) {
  class NativeResponse {
    #listeners = new Map()
    #early = []
    #isStreaming = false
    #isOver = false
    #ended
    #end = () => {}
    constructor() {
      this.#ended = new Promise((resolve) => {
        this.#end = resolve
      })
    }
    addListener(type, listener) {
      this.#listeners.set(type, listener)
    }
    removeListener(type) {
      this.#listeners.delete(type)
    }
    removeAllListeners(type) {
      this.#listeners.delete(type)
    }
    #emit(type, value) {
      this.#listeners.get(type)?.(value)
    }
    head({ statusCode, statusMessage, rawHeaders }, url) {
      const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i) => rawHeaders.slice(2 * i, 2 * i + 2))
      this.native = { status: statusCode, statusText: statusMessage, headers: pairs, url }
    }
    part(part) {
      if (this.#isStreaming) this.#emit('didReceiveResponseData', realm.toBytes(part))
      else this.#early.push(part)
    }
    end(error) {
      this.#isOver = error === undefined
      this.#end(error)
      if (error) this.#emit('didFailWithError', error.message)
      else this.#emit('didComplete')
      this.#emit('readyForJSFinalization')
    }
    get _rawHeaders() {
      return this.native.headers
    }
    get status() {
      return this.native.status
    }
    get statusText() {
      return this.native.statusText
    }
    get url() {
      return this.native.url
    }
    get redirected() {
      return false
    }
    async startStreaming() {
      this.#isStreaming = true
      const early = Buffer.concat(this.#early)
      if (this.#isOver) return realm.toBytes(early)
      this.#emit('didReceiveResponseData', realm.toBytes(early))
      return null
    }
    cancelStreaming() {}
    async arrayBuffer() {
      const error = await this.#ended
      if (error) throw error
      return realm.toBytes(Buffer.concat(this.#early)).buffer
    }
    async text() {
      const error = await this.#ended
      if (error) throw error
      return String(Buffer.concat(this.#early))
    }
  }
  class NativeRequest {
    #stop = () => {}
    constructor(response) {
      this.response = response
    }
    start(url, { method, headers }) {
      return new Promise((resolve, reject) => {
        const head = (answer) => {
          this.response.head(answer, url)
          resolve(this.response)
        }
        const end = (error) => {
          if (error) reject(error)
          this.response.end(error)
        }
        this.#stop = send(
          { url, method, headers: Object.fromEntries(headers) },
          head,
          (part) => this.response.part(part),
          end,
        )
      })
    }
    cancel() {
      this.#stop()
      this.response.end(new Error('cancelled'))
    }
  }
  return { NativeResponse, NativeRequest }
}

const none = () => {}
const realm = { toBytes: (bytes) => new realm.Uint8Array(bytes) }
const globals = { setTimeout, clearTimeout, setInterval, clearInterval, TextEncoder, TextDecoder, atob, btoa }
// Numbers, as in React Native.
for (const name of ['setTimeout', 'setInterval']) globals[name] = (...args) => Number(globalThis[name](...args))
const context = vm.createContext({
  ...globals,
  RN$Bridgeless: true,
  nativeModuleProxy: {},
  nativeLoggingHook: (line, level) => level >= 3 && errors.push(line),
  appArguments: JSON.parse(appArguments),
  report: (value) => process.stdout.write(`${JSON.stringify({ ...value, errors })}\n`),
})
realm.Uint8Array = vm.runInContext('Uint8Array', context)
const modules = {
  Networking: createNetworking((event, args) => context.emitNative(event, args)),
  BlobModule: {
    getConstants: () => ({ BLOB_URI_SCHEME: 'blob', BLOB_URI_HOST: null }),
    addNetworkingHandler: none,
    release: none,
    createFromParts: (parts, id) => blobs.set(id, Buffer.from(parts.map(({ data }) => data).join(''))),
  },
  FileReaderModule: { readAsText: async ({ blobId }) => String(blobs.get(blobId)) },
  NativeMicrotasksCxx: { queueMicrotask: (callback) => void Promise.resolve().then(callback) },
  NativePerformanceCxx: {
    now: () => performance.now(),
    timeOrigin: () => performance.timeOrigin,
    setOnPerformanceEntryCallback: none,
  },
  PlatformConstants: {
    getConstants: () => ({
      isTesting: false,
      reactNativeVersion: { major: 0, minor: 88, patch: 1 },
      osVersion: '26',
      systemName: 'iOS',
    }),
  },
}
context.__turboModuleProxy = (name) => modules[name]
context.expo = { modules: { ExpoFetchModule: createExpoFetch(realm) } }
new vm.Script(readFileSync(bundle, 'utf8'), { filename: bundle }).runInContext(context)
