/** What an app reports of its streams and its fake. */
export interface NativeReport {
  stream: string
  feed: string
  fake: string[]
}

export const nativeKey = 'esk_test_native'
