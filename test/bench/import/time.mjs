/** Imports packages, and prints how many milliseconds that took. */
const { packages } = JSON.parse(process.env.JOB)
const startedAt = performance.now()
await Promise.all(packages.map((name) => import(name)))
console.log(performance.now() - startedAt)
