import { runTrials } from './trials.ts'

// The ports of the front and of the service, and the answers to compare, are the arguments. The process must exit by itself.
const [, , front = '', upstream = '', played = '{}'] = process.argv
runTrials(Number(front), Number(upstream), JSON.parse(played)).then(
  (report) => process.stdout.write(`${JSON.stringify(report)}\n`),
  // An error of the client has the whole page of the front in its body.
  (error: unknown) => process.stderr.write(`${error}\n`, () => process.exit(1)),
)
