/** The kinds of differences between storage and database. */
export type Difference =
  | 'record missing'
  | 'record damaged'
  | 'record without a database row'
  | 'manifest line missing'
  | 'file missing'
  | 'file damaged'
  | 'file without a database row';

/**
 * What is not as it should be, but harms nothing. A process that stands still between its last look at a manifest and
 * its line can repeat a line; readers of a manifest count the lines of a record as one.
 */
export type Note = 'manifest line twice';

/** The kinds of objects that are compared. */
export type Compared = 'records' | 'lines' | 'files';

/** The kinds of work that the running service may not have completed yet. */
export type Unfinished =
  | 'job that is not published yet'
  | 'document that is not finished yet'
  | 'record that is not written yet'
  | 'record whose database row may not be stored yet'
  | 'manifest line that may not be written yet'
  | 'file whose database row may not be stored yet';

/** The location of a difference: the tenant, and ids and paths. It never contains a text. */
export interface Place {
  tenantId: string;
  /** The id of the job, document or file; undefined if the path identifies the object. */
  id?: string;
  /** The URL of the object or its path in platform storage; undefined without an object. */
  path?: string;
}

/**
 * Prints each difference as soon as it is found, and counts differences. The memory for that does not grow with the
 * number of compared objects.
 */
export class Report {
  readonly #print: (line: string) => Promise<void>;
  readonly #compared: Record<Compared, number> = { records: 0, lines: 0, files: 0 };
  readonly #differences = new Map<Difference, number>();
  readonly #repaired = new Map<Difference | Note, number>();
  readonly #notes = new Map<Note, number>();
  readonly #unfinished = new Map<Unfinished, number>();
  readonly #unreached = new Map<string, number>();
  #lookAgain = 0;

  constructor(print: (line: string) => Promise<void>) {
    this.#print = print;
  }

  compared(what: Compared, count: number): void {
    this.#compared[what] += count;
  }

  /** @param repaired whether the difference was repaired */
  async difference(what: Difference, place: Place, repaired: boolean): Promise<void> {
    add(repaired ? this.#repaired : this.#differences, what, 1);
    await this.#printPlace(what, place, repaired && 'repaired');
  }

  /** Like `difference`, but does not count it as a difference. */
  async note(what: Note, place: Place, repaired: boolean): Promise<void> {
    add<Difference | Note>(repaired ? this.#repaired : this.#notes, what, 1);
    await this.#printPlace(what, place, repaired ? 'repaired' : 'note');
  }

  #printPlace(what: string, { tenantId, id, path }: Place, outcome: string | false): Promise<void> {
    const fields = [`tenant=${tenantId}`, id && `id=${id}`, path && `path=${path}`, outcome];
    return this.#print([what, ...fields.filter(Boolean)].join('\t'));
  }

  /** @param until the time at which this work must have been completed, in milliseconds since the epoch */
  inFlight(what: Unfinished, count: number, until: number): void {
    if (count === 0) return;
    add(this.#unfinished, what, count);
    this.#lookAgain = Math.max(this.#lookAgain, until);
  }

  /** Counts objects that could not be read because an account failed. */
  unreached(tenantId: string, why: string, count: number): void {
    add(this.#unreached, `the account of tenant ${tenantId} (${why})`, count);
  }

  /** The total number of differences that were not repaired. */
  get differences(): number {
    return sum(this.#differences);
  }

  /** Prints the numbers of compared objects and differences. */
  async summarize(): Promise<void> {
    const { records, lines, files } = this.#compared;
    await this.#print(`compared: ${records} records, ${lines} lines of manifests, ${files} files`);
    for (const [account, count] of this.#unreached)
      await this.#print(
        `not reached: ${account}${count > 0 ? `, so ${count} records and files were not compared` : ''}`,
      );
    if (this.#unfinished.size > 0)
      await this.#print(
        `in progress: ${listed(this.#unfinished)}; compare again after ${new Date(this.#lookAgain).toISOString()}`,
      );
    if (this.#repaired.size > 0)
      await this.#print(`repaired: ${sum(this.#repaired)} (${listed(this.#repaired)})`);
    if (this.#notes.size > 0) await this.#print(`harmless: ${listed(this.#notes)}`);
    const kinds = this.#differences.size > 0 ? ` (${listed(this.#differences)})` : '';
    await this.#print(`differences: ${this.differences}${kinds}`);
  }
}

function add<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

function sum(counts: Map<unknown, number>): number {
  return counts.values().reduce((total, count) => total + count, 0);
}

/** Returns the counts as a text: `record missing: 2, file damaged: 1`. */
function listed(counts: Map<string, number>): string {
  return [...counts].map(([what, count]) => `${what}: ${count}`).join(', ');
}
