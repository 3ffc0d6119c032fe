import { registerHooks } from 'node:module';
import { type FileError, overLimit } from '../file-error.ts';

/**
 * The limit for one kind of work that reading a PDF may cause: `floor` for any file, plus `perByte` for each byte of
 * the file.
 */
interface Budget {
  floor: number;
  perByte: number;
  /** The counted quantity in words, for the message to the sender of the file. */
  what: string;
}

/**
 * The limits for the counted kinds of work. In 20 real files, the highest values were 0.3 operators and 3 bytes of
 * content per byte of the file, 147 streams, and forms nested five deep. A form with text that is drawn n times counts
 * as n streams.
 */
const budgets = {
  operators: {
    floor: 250_000,
    perByte: 3,
    what: 'the number of drawing operators in the pages of the PDF',
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

/** The maximum depth of nested forms. */
const maxFormDepth = 50;

/** The properties of pdf.js's streams that are used here. */
interface ContentStream {
  /**
   * The start and end of the stream's bytes, if all of them are in memory. Other streams have no `end`, and are
   * inflated while they are read.
   */
  start?: number;
  end?: number;
}

/**
 * Counts the work of reading one PDF, and stops the reading if there is too much work for the size of the file. With
 * nested forms, a file of two kilobytes can cause a billion drawing operations. The work is counted instead of
 * measuring time, so that every machine accepts the same files.
 */
export class Meter {
  readonly counts = { operators: 0, streams: 0, fonts: 0, bytes: 0 };
  /** The greatest depth of nested forms so far. */
  depth = 0;
  /** The reason why the reading was stopped. It is stored because pdf.js does not propagate all errors. */
  rejection: FileError | undefined;
  readonly #size: number;

  /** @param size the size of the file in bytes */
  constructor(size: number) {
    this.#size = size;
  }

  /** @throws {FileError} if the file declares more pages than its size allows */
  checkPages(count: number): void {
    this.#check(pages, count);
  }

  /**
   * Counts the start of a stream of operators. `depth` is the nesting depth of the stream, from 1. @throws {FileError}
   */
  countStream(depth: number, { start, end }: ContentStream): void {
    this.depth = Math.max(this.depth, depth);
    if (depth > maxFormDepth) this.#reject(overLimit('the depth of nested forms in the PDF', maxFormDepth));
    this.#count('streams', 1);
    // All bytes of such a stream have been inflated, even if not all of them are read.
    if (start !== undefined && end !== undefined) this.#count('bytes', end - start);
  }

  /** Counts an operator of a stream, and the bytes that were read for this operator. @throws {FileError} */
  countOperator(bytes: number, { end }: ContentStream): void {
    this.#count('operators', 1);
    if (end === undefined) this.#count('bytes', bytes);
  }

  /**
   * Counts the reading of a font. pdf.js reads a font several times if it is not an indirect object. @throws
   * {FileError}
   */
  countFont(): void {
    this.#count('fonts', 1);
  }

  #count(name: keyof typeof budgets, more: number): void {
    // The error is thrown again on every later call, because pdf.js ignores errors in single forms.
    if (this.rejection) throw this.rejection;
    this.counts[name] += more;
    this.#check(budgets[name], this.counts[name]);
  }

  #check({ floor, perByte, what }: Budget, count: number): void {
    const limit = Math.floor(floor + perByte * this.#size);
    if (count > limit) this.#reject(overLimit(what, limit));
  }

  #reject(rejection: FileError): never {
    this.rejection ??= rejection;
    throw this.rejection;
  }
}

/** The name of the global symbol by which the code inserted into pdf.js finds the current meter. */
const meterKey = 'lingualoop.pdfMeter';
const theMeter = `globalThis[Symbol.for('${meterKey}')]`;

/**
 * Code that is inserted into pdf.js to count and limit its work. pdf.js has no hook for this, and no limit of pdf.js stops a
 * small file that causes a billion drawing operations. The code is added to the source of pdf.js's worker when the
 * worker is loaded. The text `at` must occur exactly `times` times in this source. If a new release changes it, loading
 * pdf.js and the tests fail.
 */
const insertions = [
  {
    // pdf.js runs this code for every content stream: pages, forms, and glyphs of Type 3 fonts.
    at: 'const seenRefs = new RefSet(prevRefs);',
    times: 2,
    with: `const depth = (prevRefs?.depth ?? 0) + 1; ${theMeter}?.countStream(depth, stream); const seenRefs = new RefSet(prevRefs); seenRefs.depth = depth;`,
  },
  {
    at: '  async translateFont({\n',
    times: 1,
    with: `  async translateFont(read) {
    ${theMeter}?.countFont();
    return this.translateFontUnmetered(read);
  }
  async translateFontUnmetered({
`,
  },
  {
    // pdf.js reads each operator with its operands by this method.
    at: '  read(operation) {\n',
    times: 1,
    with: `  read(operation) {
    const { stream } = this.parser.lexer;
    const start = stream.pos;
    try {
      return this.readUnmetered(operation);
    } finally {
      ${theMeter}?.countOperator(stream.pos - start, stream);
    }
  }
  readUnmetered(operation) {
`,
  },
  // The states of nested `q` operators are copied. As a chain of prototypes, they take time in the square of the depth.
  {
    at: 'const clone = Object.create(this);',
    times: 1,
    with: 'const clone = Object.assign(Object.create(Object.getPrototypeOf(this)), this);',
  },
  {
    at: 'const clone = Object.assign(Object.create(this), this);',
    times: 1,
    with: 'const clone = Object.assign(Object.create(Object.getPrototypeOf(this)), this);',
  },
] as const;

let loading: Promise<typeof import('pdfjs-dist/legacy/build/pdf.mjs')> | undefined;

/** Loads pdf.js with the code that counts its work. The meter is set by `useMeter`. */
export function loadPdfjs(): Promise<typeof import('pdfjs-dist/legacy/build/pdf.mjs')> {
  loading ??= load();
  return loading;
}

/** Sets the meter that counts the work of pdf.js from now on; undefined turns counting off. */
export function useMeter(meter: Meter | undefined): void {
  (globalThis as Record<symbol, unknown>)[Symbol.for(meterKey)] = meter;
}

async function load() {
  const workerUrl = import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs');
  let isMetered = false;
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== workerUrl) return loaded;
      isMetered = true;
      return { ...loaded, source: withMeter(Buffer.from(loaded.source as Uint8Array).toString()) };
    },
  });
  try {
    // The worker registers itself as a global object, for which pdf.js looks first.
    await import(workerUrl);
  } finally {
    hooks.deregister();
  }
  if (!isMetered) throw new Error('pdf.js was loaded without its meter');
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}

function withMeter(source: string): string {
  let metered = source;
  for (const { at, times, with: inserted } of insertions) {
    const parts = metered.split(at);
    if (parts.length !== times + 1)
      throw new Error(`pdf.js has ${JSON.stringify(at)} ${parts.length - 1} times, not ${times}`);
    metered = parts.join(inserted);
  }
  return metered;
}
