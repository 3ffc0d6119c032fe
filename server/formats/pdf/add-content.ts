import { PDFDict, type PDFDocument, PDFName, type PDFRef } from '@cantoo/pdf-lib';
import { enclose } from './content-balance.ts';
import { deflatedStream, getDict, pageBytes } from './objects.ts';
import { pageResources } from './page-geometry.ts';

/**
 * Draws on top of the current content of a page.
 *
 * @param operators in the page's user space; they start with the initial graphics state
 * @param fonts that the operators use, by name; no font of the page may have the same name
 * @param replaced the page's stream, if nothing else refers to it
 */
export function addContent(
  document: PDFDocument,
  number: number,
  operators: string,
  fonts: ReadonlyMap<string, PDFRef>,
  replaced?: PDFRef,
): void {
  const { context } = document;
  const { node } = document.getPage(number - 1);
  const own = Buffer.from(enclose(pageBytes(node)));
  const all = Buffer.concat([own, Buffer.from(`\n${operators}`, 'latin1')]);
  node.set(PDFName.of('Contents'), context.register(deflatedStream(context, all)));
  if (replaced) context.delete(replaced);
  // Resources may be shared with other pages, so the page gets a copy.
  const resources = pageResources(node);
  const allFonts = PDFDict.fromMapWithContext(new Map(getDict(resources, 'Font')?.entries()), context);
  for (const [name, ref] of fonts) allFonts.set(PDFName.of(name), ref);
  const changed = PDFDict.fromMapWithContext(new Map(resources?.entries()), context);
  changed.set(PDFName.of('Font'), allFonts);
  node.set(PDFName.of('Resources'), changed);
}

/** Returns a prefix that no font resource of the pages has. A file that was translated before has such fonts. */
export function unusedFontPrefix(document: PDFDocument): string {
  const names = new Set<string>();
  for (const { node } of document.getPages())
    for (const name of getDict(pageResources(node), 'Font')?.keys() ?? []) names.add(name.decodeText());
  let prefix = 'Set';
  while ([...names].some((name) => name.startsWith(prefix))) prefix += 't';
  return prefix;
}
