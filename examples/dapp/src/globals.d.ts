/** Whether the service and the proxy run in this page. Set by `vite.config.ts`; a live build has nothing of the demo. */
declare const __DEMO__: boolean
