// The same of Expo, which it adds to that of React Native.
require('./react-native.js')
require('expo/virtual/streams')
require('expo/src/winter/runtime.native')
