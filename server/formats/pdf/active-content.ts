import {
  PDFArray,
  type PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';
import { asDict, asName, get, getDict, getName } from './objects.ts';
import { type ActiveKind, asAction, isOpened, removedKind } from './removed-actions.ts';

const words: Record<ActiveKind, string> = {
  script: 'scripts',
  action: 'actions that run automatically, start programs, send data or open other files',
  attachment: 'attached files',
  media: 'sounds, videos and 3D scenes',
};

/** The number of objects of each kind. */
export type ActiveCounts = ReadonlyMap<ActiveKind, number>;

/** Returns the counts as text: `scripts: 2; attached files: 1`. */
export function describeActive(counts: ActiveCounts): string {
  return (Object.keys(words) as ActiveKind[])
    .filter((kind) => counts.has(kind))
    .map((kind) => `${words[kind]}: ${counts.get(kind)}`)
    .join('; ');
}

/**
 * Removes content that makes a PDF reader do more than display the file: scripts; actions that start programs, send data, open
 * other files or run without a click; attached files, sounds, videos and 3D scenes. Links, bookmarks and fields stay, and so
 * does their appearance.
 */
export function removeActiveContent(document: PDFDocument): ActiveCounts {
  const removal = new Removal();
  for (const [, object] of document.context.enumerateIndirectObjects()) removal.from(object);
  removal.fromCatalog(document.catalog);
  return removal.counts;
}

const removedAnnotations: ReadonlyMap<string | undefined, ActiveKind> = new Map([
  ['FileAttachment', 'attachment'],
  ['Sound', 'media'],
  ['Movie', 'media'],
  ['RichMedia', 'media'],
  ['3D', 'media'],
]);

class Removal {
  readonly counts = new Map<ActiveKind, number>();
  /** Each object counts once, even if several places refer to it. */
  readonly #counted = new Set<PDFObject>();

  /**
   * Removes active content from an object and everything inside it. It is not recursive, because the file determines the depth
   * of its objects.
   */
  from(root: PDFObject): void {
    const waiting: PDFObject[] = [root];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const dictionary = asDict(next);
      if (dictionary) this.#fromDictionary(dictionary);
      else if (next instanceof PDFArray) this.#fromArray(next);
      const inner = dictionary?.values() ?? (next instanceof PDFArray ? next.asArray() : []);
      // Push the objects one at a time, because an array may have more items than a call may have arguments.
      for (const object of inner) waiting.push(object);
    }
  }

  /** Removes active content that only the catalog can have. */
  fromCatalog(catalog: PDFDict): void {
    const names = getDict(catalog, 'Names');
    for (const tree of ['JavaScript', 'EmbeddedFiles', 'Renditions', 'AlternatePresentations'])
      names?.delete(PDFName.of(tree));
    // A table of the attached files, and a request for a program that runs scripts.
    for (const key of ['Collection', 'Requirements']) catalog.delete(PDFName.of(key));
    this.#fromOpening(catalog);
    // Readers prepend this base to URLs without a scheme.
    const addresses = getDict(catalog, 'URI');
    const base = get(addresses, 'Base');
    if (!addresses || !base || isOpened(base)) return;
    this.#count('action', addresses);
    addresses.delete(PDFName.of('Base'));
  }

  /** Keeps only the first destination of the actions that run when the file is opened. */
  #fromOpening(catalog: PDFDict): void {
    const opening = asAction(get(catalog, 'OpenAction'));
    const place = getName(opening, 'S') === 'GoTo' ? opening?.get(PDFName.of('D')) : undefined;
    if (!opening || (place && !get(opening, 'Next'))) return;
    this.#count('action', opening);
    // Does not change the action itself, because a bookmark may have the same action.
    if (place) catalog.set(PDFName.of('OpenAction'), catalog.context.obj({ S: 'GoTo', D: place }));
    else catalog.delete(PDFName.of('OpenAction'));
  }

  #fromDictionary(dictionary: PDFDict): void {
    for (const key of dictionary.keys()) {
      const value = dictionary.lookup(key);
      if (value && this.#goes(value, asName(key), dictionary)) dictionary.delete(key);
    }
  }

  #fromArray(array: PDFArray): void {
    for (let index = array.size() - 1; index >= 0; index--) {
      const item = array.lookup(index);
      if (!item || !(this.#takesObject(item) || this.#takesAnnotation(item))) continue;
      const before = index > 0 ? array.get(index - 1) : undefined;
      // Trees of names and numbers alternate keys and values.
      const isValue =
        before instanceof PDFString || before instanceof PDFHexString || before instanceof PDFNumber;
      if (isValue) array.set(index, PDFNull);
      else array.remove(index);
    }
  }

  /** Whether to remove the value of an entry. It examines the value, because resources may have any key. */
  #goes(value: PDFObject, key: string | undefined, owner: PDFDict): boolean {
    switch (key) {
      case 'AA':
        return this.#takesTriggers(value);
      case 'EF':
      case 'RF':
        if (!holdsFiles(value)) return false;
        this.#count('attachment', owner);
        return true;
      case 'AF':
        return isFileSpecification(value instanceof PDFArray ? value.lookup(0) : value);
      // A note on a removed annotation stays as a note.
      case 'IRT':
        return this.#takesAnnotation(value);
      default:
        return this.#takesObject(value);
    }
  }

  #takesObject(object: PDFObject): boolean {
    if (object instanceof PDFStream && getName(object.dict, 'Type') === 'EmbeddedFile') {
      this.#count('attachment', object);
      return true;
    }
    const action = asAction(object);
    const kind = action && removedKind(action);
    if (kind) this.#count(kind, action);
    return kind !== undefined;
  }

  /** Whether the value has actions that start when a page opens or the pointer moves over a field. */
  #takesTriggers(value: PDFObject): boolean {
    const triggers = asDict(value);
    const found = triggers?.keys().flatMap((key) => asAction(triggers.lookup(key)) ?? []) ?? [];
    for (const action of found) this.#count(removedKind(action) ?? 'action', action);
    return found.length > 0;
  }

  #takesAnnotation(object: PDFObject): boolean {
    const annotation = get(asDict(object), 'Rect') ? asDict(object) : undefined;
    const subtype = getName(annotation, 'Subtype');
    const kind = removedAnnotations.get(subtype);
    if (kind) this.#count(kind, getDict(annotation, 'FS') ?? object);
    // The pop-up window of a note on a removed annotation.
    const isWindow =
      subtype === 'Popup' && removedAnnotations.has(getName(getDict(annotation, 'Parent'), 'Subtype'));
    return kind !== undefined || isWindow;
  }

  #count(kind: ActiveKind, object: PDFObject): void {
    if (this.#counted.has(object)) return;
    this.#counted.add(object);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}

function holdsFiles(value: PDFObject): boolean {
  const files = asDict(value);
  return ['F', 'UF', 'DOS', 'Mac', 'Unix'].some((key) => {
    const file = get(files, key);
    return file instanceof PDFStream || file instanceof PDFArray;
  });
}

function isFileSpecification(object: PDFObject | undefined): boolean {
  const file = asDict(object);
  return ['Filespec', 'F'].includes(getName(file, 'Type') ?? '') || getDict(file, 'EF') !== undefined;
}
