import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { PDFDocument } from '@cantoo/pdf-lib';
import { FileError } from '../file-error.ts';

const { resolve } = createRequire(import.meta.url);

/** The parts of the WebAssembly module that are used here. */
interface Qpdf {
  callMain(args: string[]): number;
  FS: {
    /** Each gets or gives one byte; null is the end. */
    init(
      input: () => null,
      output: (byte: number | null) => void,
      error: (byte: number | null) => void,
    ): void;
    writeFile(path: string, bytes: Uint8Array): void;
    readFile(path: string): Uint8Array;
  };
}

type CreateQpdf = (options: { noInitialRun: true; preRun: ((module: Qpdf) => void)[] }) => Promise<Qpdf>;

let create: CreateQpdf | undefined;

/**
 * Loads qpdf as in a browser, without Node's `process`: with it, its code asks for an internal module, which Node's permissions forbid
 * to sandboxed processes, and sets the exit code of the whole process.
 */
function loadQpdf(): CreateQpdf {
  if (create) return create;
  const directory = '@neslinesli93/qpdf-wasm/dist/';
  const wasm = readFileSync(resolve(`${directory}qpdf.wasm`));
  const fetch = async () => new Response(wasm, { headers: { 'content-type': 'application/wasm' } });
  const module: { exports: { default?: CreateQpdf } } = { exports: {} };
  const source = readFileSync(resolve(`${directory}qpdf.js`), 'utf8');
  const names = ['module', 'exports', 'process', 'fetch'];
  compileFunction(source, names)(module, module.exports, undefined, fetch);
  create = module.exports.default!;
  return create;
}

/**
 * --decrypt: a password that only restricts the use of the file does not matter (C 7).
 * --remove-restrictions: a signature does not hold for a changed file. Its value goes, what the page shows of it stays.
 */
const options = [
  '--deterministic-id',
  '--decrypt',
  '--remove-restrictions',
  '--object-streams=disable',
  '--warning-exit-0',
];

/**
 * Writes a PDF in one shape: without encryption, each object by itself, one table of cross-references, streams of text deflated.
 * Fonts, images and the numbers of objects stay.
 *
 * @throws {FileError} `protected` if opening it requires a password; `unreadable`
 */
export async function normalise(bytes: Uint8Array): Promise<Uint8Array> {
  const first = await runQpdf(bytes);
  if (first.bytes) return first.bytes;
  if (/invalid password/.test(first.message))
    throw new FileError('protected', 'the PDF is protected by a password');
  // This build of qpdf does not repair tables of cross-references. pdf-lib finds the objects without them.
  const repaired = await rewritten(bytes);
  const second = repaired && (await runQpdf(repaired));
  if (second?.bytes) return second.bytes;
  throw new FileError('unreadable', 'the PDF cannot be read', { cause: first.message });
}

async function runQpdf(bytes: Uint8Array): Promise<{ bytes?: Uint8Array; message: string }> {
  let message = '';
  const append = (byte: number | null): void => {
    if (byte !== null && message.length < 10_000) message += String.fromCharCode(byte);
  };
  try {
    // A module of its own for each file: its memory cannot be given back otherwise, and one that has aborted is of no use.
    const { callMain, FS } = await loadQpdf()({
      noInitialRun: true,
      preRun: [({ FS }) => FS.init(() => null, append, append)],
    });
    FS.writeFile('/source.pdf', bytes);
    if (callMain([...options, '/source.pdf', '/normal.pdf']) === 0)
      return { bytes: FS.readFile('/normal.pdf'), message };
  } catch (error) {
    message += String(error);
  }
  return { message };
}

/** Returns undefined if the file has no catalog with pages. */
async function rewritten(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    if (document.getPageCount() === 0) return undefined;
    return await document.save({
      useObjectStreams: false,
      addDefaultPage: false,
      updateFieldAppearances: false,
    });
  } catch {
    return undefined;
  }
}
