// One app for all rows, because Metro takes most of its time for what they have in common: React Native or Expo, and the scenario.
const [phone] = globalThis.appArguments
if (phone === 'Expo') require('./expo.js')
else require('./react-native.js')
// These need only be built: every entry as Metro takes it for `import` and for `require`, and the recipe of a wallet.
if (phone === undefined) {
  require('./imported.js')
  require('./required.js')
  require('./wallet.tsx')
}
require('./native-scenario.js')
