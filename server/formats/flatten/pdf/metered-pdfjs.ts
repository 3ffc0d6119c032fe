import { registerHooks } from 'node:module';
import type { Meter } from './meter.ts';

/** The name under which pdf.js finds the meter of the document that it reads. */
const meterKey = 'lingualoop.pdfMeter';
const theMeter = `globalThis[Symbol.for('${meterKey}')]`;

/**
 * Where pdf.js tells the meter what it does. It offers no such place of its own, and none of its limits ends a small file
 * with a billion draws; so these lines are put into its worker while that is loaded. Each `at` must be there exactly
 * `times` times: a release that changed them fails to load, and the tests with it.
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

/** Has all that pdf.js does from now on counted by this meter, or by none. */
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
    // It leaves itself where pdf.js looks for a worker before it loads one.
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
