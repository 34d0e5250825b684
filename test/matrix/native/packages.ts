import { join } from 'node:path'
import { MATRIX } from '../support/project.ts'
import { versionIn } from '../support/result.ts'

/** A package of its own, because React Native brings hundreds of others. */
export const NATIVE = join(MATRIX, 'native')

/** @throws NotInstalledError */
export const versionOfNative = (name: string) => versionIn('test/matrix/native', join(NATIVE, 'node_modules'), name)
