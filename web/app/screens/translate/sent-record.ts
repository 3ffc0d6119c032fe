import { type KeyStore, SubmissionKeys } from '../../submission-keys.ts';

/**
 * What this tab has sent, so that the screen shows it again after a reload: IDs and idempotency keys, but no text and no
 * name.
 */
export interface SentRecord {
  documents: string[];
  /** The idempotency keys of text files. */
  series: string[];
  batch?: { key: string; count: number };
  /** The keys of submissions that are not completed. */
  keys: Record<string, string>;
}

/** The name of the item in `sessionStorage`, which belongs to one tab. */
const storageKey = 'lingualoop-sent';

/** Maximum number of documents, and of series, that are remembered. */
const most = 50;

/** The record of a member. The record of another member, who used the same tab before, is ignored. */
export class SentRecords {
  /** The keys of submissions, which are part of the record. */
  readonly keys: SubmissionKeys;
  private readonly userId: string;
  private readonly storage: Pick<Storage, 'getItem' | 'setItem'>;

  constructor(userId: string, storage: Pick<Storage, 'getItem' | 'setItem'> = sessionStorage) {
    [this.userId, this.storage] = [userId, storage];
    const store: KeyStore = {
      read: () => this.read().keys,
      write: (keys) => this.change(() => ({ keys })),
    };
    this.keys = new SubmissionKeys(store);
  }

  read(): SentRecord {
    const empty: SentRecord = { documents: [], series: [], keys: {} };
    try {
      const stored = JSON.parse(this.storage.getItem(storageKey) ?? '{}');
      return stored.userId === this.userId ? { ...empty, ...stored.record } : empty;
    } catch {
      // The item is damaged, or the browser allows no storage.
      return empty;
    }
  }

  change(change: (record: SentRecord) => Partial<SentRecord>): void {
    const before = this.read();
    const { documents, series, ...rest } = { ...before, ...change(before) };
    const record = { ...rest, documents: documents.slice(-most), series: series.slice(-most) };
    try {
      this.storage.setItem(storageKey, JSON.stringify({ userId: this.userId, record }));
    } catch {
      // Without storage, a reload empties the screen. The service has the jobs.
    }
  }
}
