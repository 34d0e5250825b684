import { EtnMarketError } from '../errors/base.ts'

/**
 * A file store cannot be opened, read or written. `code` is
 * - `store_in_use`: another process has it, or another store of this one;
 * - `store_unreadable`: the file holds something else, or is damaged;
 * - `store_failed`: the system refused, such as on a full disk; `cause` has its error;
 * - `store_closed`: it was closed.
 */
export class FileStoreError extends EtnMarketError {
  override get name(): string {
    return 'FileStoreError'
  }
  /** The file of the store. */
  readonly path: string
  /** The process that has the store, where it is in use and the process is known. */
  readonly pid?: number

  constructor(message: string, details: { code: string; path: string; pid?: number | undefined; cause?: unknown }) {
    const { path, pid, ...rest } = details
    super(message, rest)
    this.path = path
    if (pid !== undefined) this.pid = pid
  }
}
