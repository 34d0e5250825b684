// Builds an app for release with Metro, which needs Node 22 or newer: `node build.mjs FOLDER ENTRY BUNDLE`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getDefaultConfig } from '@react-native/metro-config'
import Metro from 'metro'
import { getDefaultConfig as getMetroConfig, mergeConfig } from 'metro-config'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const [folder, entry, bundle] = process.argv.slice(2)

const config = mergeConfig(await getMetroConfig(folder), getDefaultConfig(folder), {
  projectRoot: folder,
  watchFolders: [folder, HERE],
  resolver: {
    nodeModulesPaths: [join(HERE, 'node_modules')],
    resolveRequest(context, name, platform) {
      // They bring a test runner and a mock of Node, which no app contains.
      if (name === 'vitest' || name === 'msw') return { type: 'empty' }
      // What it is made of is written in Swift and Kotlin. The bundle asks for this of it.
      if (name === './setupReactNativeEnvironment') return { type: 'empty' }
      if (name === 'expo-modules-core') return { type: 'sourceFile', filePath: join(HERE, 'expo-modules-core.js') }
      return context.resolveRequest(context, name, platform)
    },
  },
  // All of React Native, views included: `react-native.js` runs the part of it that counts here.
  serializer: { getModulesRunBeforeMainModule: () => [] },
  cacheStores: [],
  maxWorkers: 2,
  reporter: { update() {} },
})
const { code } = await Metro.runBuild(config, { entry, platform: 'ios', dev: false, minify: false })
writeFileSync(bundle, code)
process.exit()
