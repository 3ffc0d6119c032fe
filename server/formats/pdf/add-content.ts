import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import { getDict } from './objects.ts';
import { pageResources } from './page-geometry.ts';

/**
 * Draws over what a page shows already.
 *
 * @param operators in the page's user space; they start with the initial graphics state
 * @param fonts that the operators use, by name; no font of the page may have the same name
 */
export function addContent(
  document: PDFDocument,
  number: number,
  operators: string,
  fonts: ReadonlyMap<string, PDFRef>,
): void {
  const { context } = document;
  const { node } = document.getPage(number - 1);
  const own = node.get(PDFName.of('Contents'));
  const streams =
    node.Contents() instanceof PDFArray ? (node.Contents() as PDFArray).asArray() : own ? [own] : [];
  const before = context.register(context.flateStream('q\n'));
  // The page's own streams may leave text objects or states open.
  const after = context.register(context.flateStream(`\nQ\n${operators}`));
  node.set(PDFName.of('Contents'), context.obj([before, ...streams, after]));
  // Resources may be shared with other pages, so the page gets its own.
  const resources = pageResources(node);
  const allFonts = PDFDict.fromMapWithContext(new Map(getDict(resources, 'Font')?.entries()), context);
  for (const [name, ref] of fonts) allFonts.set(PDFName.of(name), ref);
  const changed = PDFDict.fromMapWithContext(new Map(resources?.entries()), context);
  changed.set(PDFName.of('Font'), allFonts);
  node.set(PDFName.of('Resources'), changed);
}

/** Returns a prefix that no font resource of the pages has, as one has that was translated before. */
export function unusedFontPrefix(document: PDFDocument): string {
  const names = new Set<string>();
  for (const { node } of document.getPages())
    for (const name of getDict(pageResources(node), 'Font')?.keys() ?? []) names.add(name.decodeText());
  let prefix = 'Set';
  while ([...names].some((name) => name.startsWith(prefix))) prefix += 't';
  return prefix;
}
