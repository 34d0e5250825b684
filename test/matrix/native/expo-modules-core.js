export const requireNativeModule = (name) => globalThis.expo.modules[name]
