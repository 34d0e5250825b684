import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** The hash by which a server of Redis knows a script. */
export const sha1Hex = (text: string): string => bytesToHex(sha1(utf8ToBytes(text)))

export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
