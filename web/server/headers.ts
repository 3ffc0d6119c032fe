/**
 * The headers of the frame that shows Word files. The frame has its own policy: an opaque origin without cookies,
 * storage or network. It allows styles from the file. The script of the frame receives the file only in a message.
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
 * The policy of the worker that reads PDF files. A worker has the policy of its own response, not that of the page. It
 * allows WebAssembly, which the image decoders need and which is allowed nowhere else. The worker may connect only to
 * this origin.
 */
export const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
