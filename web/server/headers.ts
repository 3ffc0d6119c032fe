/**
 * The headers of every HTML response. Scripts and styles come from this origin only, nothing is inline, and no text can become
 * script (Trusted Types). `default-src` is not 'none': Firefox asks it for module preloads.
 * @param secure whether the service's address is https
 */
export function pageHeaders(secure: boolean): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-cache',
    ...(secure && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  };
}

const policy = [
  "default-src 'self'",
  // The QR code of an authenticator is a data address; pictures in previews are blobs.
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lingualoop',
].join('; ');

/**
 * The headers of the frame that shows Word files. It has a policy of its own: an opaque origin, without cookies, storages or the network,
 * where styles may come from the file. Its script knows the file by messages only.
 */
export const previewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    'sandbox allow-scripts',
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/**
 * The policy of the worker that reads PDF files: a worker has the one of its own response, not the page's. Its decoders of pictures are
 * WebAssembly, which may be compiled there, and nowhere else. It reaches this origin only.
 */
export const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
