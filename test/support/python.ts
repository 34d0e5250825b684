import { spawnSync } from 'node:child_process'

/** Programs in Python are part of the examples and of the guide; without Python they are not run. */
export const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) process.stderr.write('python3 is not installed: the programs in Python are NOT RUN.\n')
