export { blocksOf, readBlocks } from './blocks.ts';
/** HTML sources: what of them is to be translated, and the source again with the translations in place. */
export { extractHtml } from './extract.ts';
export { rebuildHtml } from './rebuild.ts';
export type { AttributeSegment, HtmlSegment, TextSegment, TranslatableAttribute } from './segment.ts';
