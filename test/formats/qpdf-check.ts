import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';

const { resolve } = createRequire(import.meta.url);
const directory = '@neslinesli93/qpdf-wasm/dist/';

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
  };
}

type Create = (options: Record<string, unknown>) => Promise<Qpdf>;

/** Returns what `qpdf --check` has to say against a PDF: no text if it is clean. */
export async function qpdfCheck(bytes: Uint8Array): Promise<string> {
  const wasm = readFileSync(resolve(`${directory}qpdf.wasm`));
  const module: { exports: { default?: Create } } = { exports: {} };
  const source = readFileSync(resolve(`${directory}qpdf.js`), 'utf8');
  const fetch = async () => new Response(wasm, { headers: { 'content-type': 'application/wasm' } });
  // Without Node's `process`: the code would set the exit code of this one.
  compileFunction(source, ['module', 'exports', 'process', 'fetch'])(
    module,
    module.exports,
    undefined,
    fetch,
  );
  let said = '';
  const listen = (byte: number | null): void => {
    if (byte !== null) said += String.fromCharCode(byte);
  };
  const qpdf = await module.exports.default!({
    noInitialRun: true,
    preRun: [({ FS }: Qpdf) => FS.init(() => null, listen, listen)],
  });
  qpdf.FS.writeFile('/file.pdf', bytes);
  return qpdf.callMain(['--check', '/file.pdf']) === 0 ? '' : said;
}
