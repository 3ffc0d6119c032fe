import { registerHooks } from 'node:module';
import { type FlattenError, overLimit } from '../flatten-error.ts';

/** What a PDF may ask of its reader: so much whatever its size, and so much for each of its bytes. */
interface Budget {
  floor: number;
  perByte: number;
  /** What is counted, for the message to the sender. */
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
interface ContentStream {
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

/** The name under which pdf.js finds the meter of the document that it reads. */
const meterKey = 'lingualoop.pdfMeter';
const theMeter = `globalThis[Symbol.for('${meterKey}')]`;

/**
 * Code that is inserted into pdf.js to count its work. pdf.js has no hook for this, and none of its limits stops a small file
 * with a billion draws; so these lines are added to its worker when it is loaded. Each `at` must occur exactly `times`
 * times: a release that changed them fails to load, and so do the tests.
 */
const insertions = [
  {
    // Whatever runs a content stream: a page, a form, a glyph of a Type 3 font.
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
    // Whatever reads an operator with its operands.
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
] as const;

let loading: Promise<typeof import('pdfjs-dist/legacy/build/pdf.mjs')> | undefined;

/** pdf.js, whose work is counted by `useMeter`. */
export function loadPdfjs(): Promise<typeof import('pdfjs-dist/legacy/build/pdf.mjs')> {
  loading ??= load();
  return loading;
}

/** Counts everything that pdf.js does from now on with this meter, or with none. */
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
    // The worker registers itself where pdf.js looks before it loads one.
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
