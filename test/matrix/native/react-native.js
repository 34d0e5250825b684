// What React Native puts into the global scope of an app, as far as this package can meet it.
require('react-native/Libraries/Core/setUpGlobals')
require('react-native/src/private/setup/setUpPerformance').default()
require('react-native/Libraries/Core/setUpTimers')
require('react-native/Libraries/Core/setUpXHR')
require('react-native/Libraries/Core/setUpNavigator')
const emitter = require('react-native/Libraries/EventEmitter/RCTDeviceEventEmitter').default
globalThis.emitNative = (event, args) => emitter.emit(event, args)
