import { PDFArray, type PDFDict, type PDFDocument, PDFNumber, type PDFObject } from '@cantoo/pdf-lib';
import { asDict, asName, get, getArray, getDict, getName, getNumber } from '../objects.ts';
import type { StructureElement } from '../page-content.ts';

/** Types whose content is one text or a few paragraphs: no text continues from one such element in the next one. */
const textTypes = new Set(
  'P H H1 H2 H3 H4 H5 H6 Title Caption LI LBody TD TH TOCI Note FENote Aside Div BlockQuote'.split(' '),
);
/** Types of parts of a text. The text is that of the element around them. */
const partTypes = new Set(
  'Span Quote Reference BibEntry Code Link Annot Em Strong Sub NonStruct Private Form Ruby RB RT RP Warichu WT WP'.split(
    ' ',
  ),
);

/** The maximum number of elements around a text, and of steps from a type of the author to a standard type. */
const maxDepth = 50;
const maxRoles = 8;
/** The maximum number of nodes of the tree that lists the elements by page. */
const maxNodes = 100_000;

/** The structure tree of a tagged PDF. It is read when the first text with a tag is found. */
export class StructureTree {
  readonly #root: PDFDict | undefined;
  readonly #found = new Map<PDFDict, StructureElement | undefined>();
  #parents: Map<number, PDFObject> | undefined;

  constructor(document: PDFDocument) {
    const isMarked = get(getDict(document.catalog, 'MarkInfo'), 'Marked')?.toString() === 'true';
    this.#root = isMarked ? getDict(document.catalog, 'StructTreeRoot') : undefined;
  }

  /**
   * Returns the element around a marked content; undefined if missing.
   *
   * @param owner the page or form whose content stream contains the marked content
   * @param id the number of the marked content in that stream (/MCID)
   */
  elementOf(owner: PDFDict, id: number): StructureElement | undefined {
    const key = this.#root && getNumber(owner, 'StructParents');
    if (key === undefined) return undefined;
    this.#parents ??= this.#readParents();
    const elements = this.#parents.get(key);
    const element =
      elements instanceof PDFArray && id < elements.size() ? asDict(elements.lookup(id)) : undefined;
    if (element === undefined) return undefined;
    if (!this.#found.has(element)) this.#found.set(element, this.#textAround(element));
    return this.#found.get(element);
  }

  /** Returns the element of a text type that contains an element, or is this element. */
  #textAround(element: PDFDict): StructureElement | undefined {
    let node: PDFDict | undefined = element;
    for (let depth = 0; node && depth < maxDepth; depth++, node = getDict(node, 'P')) {
      const known = this.#found.get(node);
      if (known) return known;
      const type = this.#typeOf(node);
      if (textTypes.has(type)) {
        const found = { type, within: this.#typeOf(getDict(node, 'P')) };
        this.#found.set(node, found);
        return found;
      }
      if (!partTypes.has(type)) return undefined;
    }
    return undefined;
  }

  /** Returns the standard type of an element. Programs may name the types after the styles of the document. */
  #typeOf(element: PDFDict | undefined): string {
    let type = getName(element, 'S') ?? '';
    const roles = [getDict(getDict(element, 'NS'), 'RoleMapNS'), getDict(this.#root, 'RoleMap')];
    for (let step = 0; step < maxRoles && !textTypes.has(type) && !partTypes.has(type); step++) {
      const role = roles.map((map) => get(map, type)).find((found) => found !== undefined);
      const next = asName(role instanceof PDFArray ? role.lookup(0) : role);
      if (next === undefined || next === type) break;
      type = next;
    }
    return type;
  }

  /** Reads the number tree that lists the elements of each page and form. */
  #readParents(): Map<number, PDFObject> {
    const parents = new Map<number, PDFObject>();
    const waiting = [getDict(this.#root, 'ParentTree')];
    const seen = new Set<PDFDict>();
    for (let node = waiting.pop(); node && seen.size < maxNodes; node = waiting.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      const entries = getArray(node, 'Nums') ?? [];
      for (let at = 0; at + 1 < entries.length; at += 2) {
        const key = entries[at];
        if (key instanceof PDFNumber) parents.set(key.asNumber(), entries[at + 1]!);
      }
      for (const kid of getArray(node, 'Kids') ?? []) waiting.push(asDict(kid));
    }
    return parents;
  }
}
