/** A whole process, from its start to the first response. */
import { connect } from '../workloads/connect.mjs'

const { client, work, inputs } = await connect(JSON.parse(process.env.JOB), 1)
const [input] = inputs
if (!work.isRight(await work.call(client, input), input)) throw new Error('The result is wrong.')
