import { getDocument, type PDFDocumentProxy, PDFWorker, version } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { deployment } from '../../../deployment.ts';

/** A browser without Trusted Types takes any address. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

/** The address of PDF.js's worker: the only one that the policy `lingualoop` knows. */
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

/** Where the build puts what PDF.js reads for some files: character maps, standard fonts, decoders of pictures. */
const resources = `${location.origin}${deployment.basePath}/static/pdfjs-${version}/`;

/** Opens a PDF file. @returns what waits for it, and what ends that */
export function openPdf(bytes: Uint8Array<ArrayBuffer>): {
  promise: Promise<PDFDocumentProxy>;
  destroy: () => Promise<void>;
} {
  // One for all files, in this tab; a policy may be made once only.
  worker ??= new PDFWorker({
    // The package declares that the port is null, which is its own default.
    port: new Worker(trustedWorkerAddress(), { type: 'module' }) as unknown as null,
  });
  return getDocument({
    // The worker takes the bytes away.
    data: bytes.slice(),
    worker,
    cMapUrl: `${resources}cmaps/`,
    standardFontDataUrl: `${resources}standard_fonts/`,
    wasmUrl: `${resources}wasm/`,
    iccUrl: `${resources}iccs/`,
    enableXfa: false,
  });
}
