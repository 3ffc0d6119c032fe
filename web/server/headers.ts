/**
 * The headers of the frame that shows Word files. It has a separate policy: an opaque origin, without cookies,
 * storages or the network, where styles may come from the file. Its script gets the file only by messages.
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
  'cache-control': 'no-cache',
};

/**
 * The policy of the worker that reads PDF files: a worker has the one of its own response, not the page's. Its
 * decoders of pictures are WebAssembly, which may be compiled there, and nowhere else. It connects only to this
 * origin.
 */
export const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
