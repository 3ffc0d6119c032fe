import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

const { resolve } = createRequire(import.meta.url);

/** The functions of qpdf's WebAssembly module that are used here. */
interface Qpdf {
  callMain(args: string[]): number;
  FS: {
    /**
     * Sets the functions that read and write standard input, output and error. Each call handles one byte; null is the
     * end.
     */
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
 * Loads qpdf as in a browser, without Node's global `process`. If `process` were defined, qpdf would load an internal
 * module that sandboxed processes must not use, and it would set the exit code of the whole process.
 */
function load(): CreateQpdf {
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
 * Runs the qpdf command on a file.
 *
 * @returns whether the command succeeded, its messages, and the output file, if there is one
 */
export async function runQpdf(
  options: readonly string[],
  source: Uint8Array,
): Promise<{ succeeded: boolean; message: string; written: Uint8Array | undefined }> {
  let message = '';
  const append = (byte: number | null): void => {
    if (byte !== null && message.length < 10_000) message += String.fromCharCode(byte);
  };
  try {
    // Each file gets a new instance of the module, because the memory of an instance cannot be freed, and an instance
    // is not usable after an abort.
    const { callMain, FS } = await load()({
      noInitialRun: true,
      preRun: [({ FS }) => FS.init(() => null, append, append)],
    });
    FS.writeFile('/source.pdf', source);
    const checks = options.includes('--check');
    const succeeded = callMain([...options, '/source.pdf', ...(checks ? [] : ['/written.pdf'])]) === 0;
    return { succeeded, message, written: succeeded && !checks ? FS.readFile('/written.pdf') : undefined };
  } catch (error) {
    return { succeeded: false, message: message + String(error), written: undefined };
  }
}
