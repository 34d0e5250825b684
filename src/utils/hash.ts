import { sha1 } from '@noble/hashes/legacy.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** By which Redis names scripts. It says whether texts are equal, and keeps no secret. */
export const sha1Hex = (text: string): string => bytesToHex(sha1(utf8ToBytes(text)))
