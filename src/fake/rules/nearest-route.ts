import { type FakeOperation, fakeOperations, fakeRoutes } from './routes.ts'

/** Costs of adding or removing a segment, and of replacing it. */
const GAP = 3
const OTHER = 4

/** The route that is most similar to a mistyped path, for the error message. */
export function nearestRoute(path: string): { operation: FakeOperation; path: string } {
  const given = path.split('/').slice(1)
  const ranked = fakeOperations.map((operation) => {
    const route = fakeRoutes[operation].path
    return { operation, path: route, distance: distance(given, route.split('/').slice(1), differ, GAP) }
  })
  return ranked.reduce((nearest, one) => (one.distance < nearest.distance ? one : nearest))
}

/** The cost of replacing a segment by that of a route. */
function differ(given: string, expected: string): number {
  if (expected.startsWith('{')) return /^(\d+|0x.*)$/.test(given) ? 0 : OTHER / 2
  if (given === expected) return 0
  if (given.length > 1 && (expected.includes(given) || given.includes(expected))) return 1
  const letters = distance([...given], [...expected], (a, b) => (a === b ? 0 : 1), 1)
  return (OTHER * letters) / Math.max(given.length, expected.length)
}

/** The minimal cost of turning one list into another (edit distance). */
function distance(from: string[], to: string[], differ: (a: string, b: string) => number, gap: number): number {
  let row = [0, ...to.map((_, j) => (j + 1) * gap)]
  for (const [i, a] of from.entries()) {
    const next = [(i + 1) * gap]
    for (const [j, b] of to.entries()) {
      next.push(Math.min((row[j] ?? 0) + differ(a, b), (row[j + 1] ?? 0) + gap, (next[j] ?? 0) + gap))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
