import {
  PDFArray,
  type PDFContext,
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { getArray, getDict } from './objects.ts';

/** Removes two faults of a PDF that qpdf rejects and other programs ignore. */
export function repair(document: PDFDocument): void {
  flattenPageTree(document);
  renumberObjects(document.context);
}

/** The entries of a page that it inherits from the nodes above it in the page tree. */
const inheritable = ['Resources', 'MediaBox', 'CropBox', 'Rotate'];

/**
 * Makes all pages children of the root of the page tree. Ignores a node that occurs a second time, as in a
 * loop.
 */
function flattenPageTree({ context, catalog }: PDFDocument): void {
  const root = getDict(catalog, 'Pages');
  if (!root) return;
  const refs = new Map(context.enumerateIndirectObjects().map(([ref, object]) => [object, ref]));
  const refOf = (node: PDFDict): PDFRef => refs.get(node) ?? context.register(node);
  const pages: PDFDict[] = [];
  const seen = new Set<PDFDict>([root]);
  const kidsOf = (node: PDFDict): PDFObject[] => getArray(node, 'Kids')?.toReversed() ?? [];
  const open = kidsOf(root).map((kid) => ({ kid, parent: root }));
  for (let next = open.pop(); next; next = open.pop()) {
    const node = next.kid;
    if (!(node instanceof PDFDict) || seen.has(node)) continue;
    seen.add(node);
    // Nodes above this one have their inherited entries already.
    for (const key of inheritable.map((name) => PDFName.of(name))) {
      const value = next.parent.get(key);
      if (value && !node.has(key)) node.set(key, value);
    }
    if (node.has(PDFName.of('Kids'))) for (const kid of kidsOf(node)) open.push({ kid, parent: node });
    else pages.push(node);
  }
  const parent = refOf(root);
  for (const page of pages) page.set(PDFName.of('Parent'), parent);
  root.set(PDFName.of('Kids'), context.obj(pages.map(refOf)));
  root.set(PDFName.of('Count'), PDFNumber.of(pages.length));
}

/** Numbers the objects from 1, without gaps. A reference to an object that does not exist becomes null. */
function renumberObjects(context: PDFContext): void {
  const objects = context.enumerateIndirectObjects();
  const numbers = new Map(objects.map(([ref], index) => [ref, PDFRef.of(index + 1)]));
  const renumbered = (value: PDFObject): PDFObject =>
    value instanceof PDFRef ? (numbers.get(value) ?? PDFNull) : value;
  const open = objects.map(([, object]) => renumbered(object));
  const seen = new Set<PDFObject>();
  for (let next = open.pop(); next; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next instanceof PDFStream) open.push(next.dict);
    else if (next instanceof PDFDict)
      for (const [key, value] of next.entries()) {
        next.set(key, renumbered(value));
        open.push(value);
      }
    else if (next instanceof PDFArray)
      for (const [index, value] of next.asArray().entries()) {
        next.set(index, renumbered(value));
        open.push(value);
      }
  }
  for (const [ref] of objects) context.delete(ref);
  for (const [index, [, object]] of objects.entries())
    context.assign(PDFRef.of(index + 1), renumbered(object));
  context.largestObjectNumber = objects.length;
  const { trailerInfo } = context;
  for (const name of ['Root', 'Info', 'ID'] as const)
    if (trailerInfo[name]) trailerInfo[name] = renumbered(trailerInfo[name]);
}
