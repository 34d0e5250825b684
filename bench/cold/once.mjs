/** A whole process, from nothing to the first answer. */
import { open } from '../workloads/open.mjs'

const { client, work, inputs } = await open(JSON.parse(process.env.JOB))
const [input] = inputs
if (!work.isRight(await work.call(client, input), input)) throw new Error('A wrong answer.')
