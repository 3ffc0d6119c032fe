import { getDocument, type PDFDocumentProxy, PDFWorker, version } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { deployment } from '../../../deployment.ts';

/** A browser without Trusted Types accepts any URL. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

/** The URL of PDF.js's worker: the only one that the policy `lingualoop` allows. */
function trustedWorkerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return workerAddress;
  const policy = trustedTypes.createPolicy('lingualoop', {
    createScriptURL(address) {
      if (address !== workerAddress) throw new TypeError('not the address of a worker of this application');
      return address;
    },
  });
  return policy.createScriptURL(workerAddress);
}

let worker: PDFWorker | undefined;

/** The build's directory with resources that PDF.js needs for some files: character maps, standard fonts, image decoders. */
const resources = `${location.origin}${deployment.basePath}/static/pdfjs-${version}/`;

/** Opens a PDF file. @returns a promise, and a function that closes the file */
export function openPdf(bytes: Uint8Array<ArrayBuffer>): {
  promise: Promise<PDFDocumentProxy>;
  destroy: () => Promise<void>;
} {
  // One worker for all files in this tab, because a policy can only be created once.
  worker ??= new PDFWorker({
    // The package's types declare the port as null, which is only its default.
    port: new Worker(trustedWorkerAddress(), { type: 'module' }) as unknown as null,
  });
  return getDocument({
    // The bytes are transferred to the worker.
    data: bytes.slice(),
    worker,
    cMapUrl: `${resources}cmaps/`,
    standardFontDataUrl: `${resources}standard_fonts/`,
    wasmUrl: `${resources}wasm/`,
    iccUrl: `${resources}iccs/`,
    enableXfa: false,
  });
}
