import { createHash, type Hash } from 'node:crypto';
import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  type PDFObject,
  type PDFPage,
  PDFRawStream,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { asDict, getName, inherited } from './objects.ts';
import { movingKeys, placesOfAnnotations } from './writing/move-annotations.ts';

/** The parts of a document that must be the same in the translated file, apart from the content of its pages. */
export type StructureKind =
  | 'pages'
  | 'annotations'
  | 'places of annotations'
  | 'form fields'
  | 'bookmarks'
  | 'page labels'
  | 'named destinations'
  | 'layers';

const catalogKeys: Partial<Record<StructureKind, readonly string[]>> = {
  'form fields': ['AcroForm'],
  bookmarks: ['Outlines', 'PageMode'],
  'page labels': ['PageLabels'],
  'named destinations': ['Dests', 'Names', 'OpenAction'],
  layers: ['OCProperties'],
};

/**
 * The keys that determine how a page is displayed and printed. `Contents` and `Resources` are not included, because a
 * translation changes them.
 */
export const pageKeys = [
  'MediaBox',
  'CropBox',
  'BleedBox',
  'TrimBox',
  'ArtBox',
  'Rotate',
  'UserUnit',
  'Group',
  'Trans',
];

/**
 * Returns a digest of each kind of structure, so that two documents can be compared. A digest includes the objects
 * behind references. A stream is represented by its encoded bytes, and a reference to a page by the position of the
 * page.
 *
 * @param pages the pages to compare; all pages of the document if missing
 */
export function structureOf(
  document: PDFDocument,
  pages: readonly PDFPage[] = document.getPages(),
): Map<StructureKind, string> {
  const walk = new Walk(document, pages);
  const digests = new Map<StructureKind, string>();
  digests.set(
    'pages',
    // A page may inherit its boxes and its rotation from its parents in the page tree.
    walk.digest(pages.map(({ node }) => pageKeys.map((key) => inherited(node, key)?.get(PDFName.of(key))))),
  );
  digests.set('annotations', walk.digest(pages.map(({ node }) => [node.get(PDFName.of('Annots'))])));
  digests.set('places of annotations', placesOfAnnotations(pages));
  for (const [kind, keys] of Object.entries(catalogKeys))
    digests.set(
      kind as StructureKind,
      walk.digest([keys.map((key) => document.catalog.get(PDFName.of(key)))]),
    );
  return digests;
}

/** Computes digests of objects that do not depend on the numbers of the objects. */
class Walk {
  readonly #document: PDFDocument;
  readonly #pages: Map<PDFRef, number>;

  constructor(document: PDFDocument, pages: readonly PDFPage[]) {
    this.#document = document;
    this.#pages = new Map(pages.map(({ ref }, index) => [ref, index]));
  }

  digest(groups: readonly (readonly (PDFObject | undefined)[])[]): string {
    const hash = createHash('sha256');
    /** The number of each object in the order of first occurrence. It identifies the object in the digest. */
    const seen = new Map<PDFRef, number>();
    for (const group of groups) {
      hash.update('\n');
      for (const object of group) {
        hash.update('|');
        if (object) this.#add(hash, object, seen);
      }
    }
    return hash.digest('hex');
  }

  /**
   * Adds an object to a digest. This function is not recursive, because a file could nest its objects arbitrarily deep.
   */
  #add(hash: Hash, root: PDFObject, seen: Map<PDFRef, number>): void {
    const waiting: (PDFObject | string)[] = [root];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (typeof next === 'string') hash.update(next);
      else if (next instanceof PDFRef) this.#addReference(hash, next, seen, waiting);
      else if (next instanceof PDFArray) {
        hash.update('[');
        waiting.push(']');
        // Push the objects one at a time, because an array may have more items than a call may have arguments.
        for (const item of next.asArray().toReversed()) waiting.push(item);
      } else if (next instanceof PDFDict) {
        hash.update('<<');
        addEntries(next, waiting, '>>');
      } else if (next instanceof PDFStream) {
        hash.update('stream');
        hash.update(next instanceof PDFRawStream ? next.contents : next.getContents());
        addEntries(next.dict, waiting, 'end');
      } else hash.update(`${next.toString()} `);
    }
  }

  #addReference(hash: Hash, ref: PDFRef, seen: Map<PDFRef, number>, waiting: (PDFObject | string)[]): void {
    const page = this.#pages.get(ref);
    if (page !== undefined) {
      hash.update(`page ${page} `);
      return;
    }
    const known = seen.get(ref);
    hash.update(`object ${known ?? seen.size} `);
    if (known !== undefined) return;
    seen.set(ref, seen.size);
    const object = this.#document.context.lookup(ref);
    // A bilingual file has more pages.
    if (getName(asDict(object), 'Type') !== 'Pages' && object) waiting.push(object);
  }
}

/**
 * Keys that a digest does not include, apart from the places of links, markups and form fields: references to the structure tree, which is removed, and the length of a stream,
 * whose encoded bytes are included anyway.
 */
const skipped = new Set(['StructParent', 'StructParents', 'SE', 'Length'].map((name) => PDFName.of(name)));

function addEntries(dict: PDFDict, waiting: (PDFObject | string)[], end: string): void {
  const moved = movingKeys(dict);
  const entries = dict
    .entries()
    .filter(([key]) => !skipped.has(key) && !moved.has(key))
    .sort(([one], [other]) => (one.toString() < other.toString() ? 1 : -1));
  waiting.push(end);
  for (const [key, value] of entries) waiting.push(value, `${key.toString()} `);
}
