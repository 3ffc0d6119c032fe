import type { FlattenError } from '../error.ts';
import { overLimit } from '../limits.ts';

/** What a PDF may ask of its reader: so much whatever its size, and so much for each of its bytes. */
interface Budget {
  floor: number;
  perByte: number;
  /** What is counted, as its sender is told. */
  what: string;
}

/**
 * Of 20 real files none had more than 0.3 operators and 3 bytes of content for a byte of its own, 147 streams, and forms
 * five deep. A form with text that is drawn n times is n streams.
 */
const budgets = {
  operators: {
    floor: 250_000,
    perByte: 3,
    what: 'the number of operators that the pages of the PDF draw with',
  },
  streams: {
    floor: 1_000,
    perByte: 1 / 50,
    what: 'the number of pages and forms of the PDF, counted each time they are drawn,',
  },
  fonts: {
    floor: 300,
    perByte: 1 / 200,
    what: 'the number of fonts of the PDF, counted each time they are read,',
  },
  bytes: {
    floor: 20_000_000,
    perByte: 30,
    what: 'the unpacked size in bytes of the pages and forms of the PDF, counted each time they are drawn,',
  },
} as const satisfies Record<string, Budget>;

const pages: Budget = { floor: 1_000, perByte: 1 / 50, what: 'the number of pages of the PDF' };

/** Forms within forms. */
const deepestForm = 50;

/** As much of pdf.js's streams as is looked at. */
export interface ContentStream {
  /** Offsets of its bytes, where they are all there already; others are inflated as they are read. */
  start?: number;
  end?: number;
}

/**
 * Counts what reading one PDF takes, and ends it where that is out of proportion to the file: forms drawn by forms make
 * of two kilobytes a billion draws. It counts and does not time, so that every machine reads or refuses the same files.
 */
export class Meter {
  readonly counts = { operators: 0, streams: 0, fonts: 0, bytes: 0 };
  /** Forms within forms, so far. */
  depth = 0;
  /** Why no more is read. pdf.js does not pass on all that is thrown into it. */
  refusal: FlattenError | undefined;
  readonly #size: number;

  /** @param size bytes of the file */
  constructor(size: number) {
    this.#size = size;
  }

  /** @throws {FlattenError} where the file says that it has more pages than its size allows */
  checkPages(count: number): void {
    this.#check(pages, count);
  }

  /** A stream of operators begins, within so many others, itself counted. @throws {FlattenError} */
  countStream(depth: number, { start, end }: ContentStream): void {
    this.depth = Math.max(this.depth, depth);
    if (depth > deepestForm)
      this.#refuse(overLimit('the depth of forms within forms of the PDF', deepestForm));
    this.#count('streams', 1);
    // They were inflated for it, whether or not all are read.
    if (start !== undefined && end !== undefined) this.#count('bytes', end - start);
  }

  /** An operator of a stream was read, and with it so many bytes. @throws {FlattenError} */
  countOperator(bytes: number, { end }: ContentStream): void {
    this.#count('operators', 1);
    if (end === undefined) this.#count('bytes', bytes);
  }

  /** A font is read; one that is an object of its own is read once. @throws {FlattenError} */
  countFont(): void {
    this.#count('fonts', 1);
  }

  #count(name: keyof typeof budgets, more: number): void {
    // Whatever comes behind the refusal ends as well: errors of single forms are passed over.
    if (this.refusal) throw this.refusal;
    this.counts[name] += more;
    this.#check(budgets[name], this.counts[name]);
  }

  #check({ floor, perByte, what }: Budget, count: number): void {
    const limit = Math.floor(floor + perByte * this.#size);
    if (count > limit) this.#refuse(overLimit(what, limit));
  }

  #refuse(refusal: FlattenError): never {
    this.refusal ??= refusal;
    throw this.refusal;
  }
}
