/** Plain text: bytes to a string, and a string to the pages that are translated one by one. */
export { countCodePoints } from './code-points.ts';
export { decodeText, TextEncodingError } from './decode.ts';
export { pagesOf, splitPages } from './pages.ts';
