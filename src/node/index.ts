export { createNodeFetch, type NodeFetch } from './fetch.ts'
