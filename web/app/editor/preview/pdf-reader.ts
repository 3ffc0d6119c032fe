import { getDocument, type PDFDocumentProxy, PDFWorker, version } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { deployment } from '../../deployment.ts';

/** The Trusted Types API, which TypeScript does not declare. A browser without it accepts any URL of a script. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

/** Returns the URL of PDF.js's worker. The policy `lingualoop` allows no other URL of a script. */
function trustedWorkerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return workerAddress;
  const policy = trustedTypes.createPolicy('lingualoop', {
    createScriptURL(address) {
      if (address !== workerAddress) throw new TypeError('not the URL of a worker of this application');
      return address;
    },
  });
  return policy.createScriptURL(workerAddress);
}

let worker: PDFWorker | undefined;

/**
 * The directory of the build with resources that PDF.js needs for some files: character maps, standard fonts, image
 * decoders.
 */
const resources = `${location.origin}${deployment.basePath}/static/pdfjs-${version}/`;

/** Opens a PDF file. @returns a promise of the file, and a function that closes the file */
export function openPdf(bytes: Uint8Array<ArrayBuffer>): {
  promise: Promise<PDFDocumentProxy>;
  destroy: () => Promise<void>;
} {
  // All files in this tab share one worker, because the policy can be created only once.
  worker ??= new PDFWorker({
    // The package's types declare `port` as always null, although null is only its default.
    port: new Worker(trustedWorkerAddress(), { type: 'module' }) as unknown as null,
  });
  return getDocument({
    // A copy, because PDF.js transfers the bytes to the worker.
    data: bytes.slice(),
    worker,
    cMapUrl: `${resources}cmaps/`,
    standardFontDataUrl: `${resources}standard_fonts/`,
    wasmUrl: `${resources}wasm/`,
    iccUrl: `${resources}iccs/`,
    enableXfa: false,
  });
}
