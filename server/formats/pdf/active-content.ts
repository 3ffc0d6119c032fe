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

/** The number of removed objects of each kind. */
export type ActiveCounts = ReadonlyMap<ActiveKind, number>;

/** Returns the counts as text, for example `scripts: 2; attached files: 1`. */
export function describeActive(counts: ActiveCounts): string {
  return (Object.keys(words) as ActiveKind[])
    .filter((kind) => counts.has(kind))
    .map((kind) => `${words[kind]}: ${counts.get(kind)}`)
    .join('; ');
}

/**
 * Removes content that makes a PDF reader do more than display the file: scripts; attached files, sounds, videos and 3D
 * scenes; and actions that start programs, send data, open other files or run without a click. Links, bookmarks and
 * form fields stay, and their appearance does not change. Returns the number of removed objects of each kind.
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
  /** The counted objects. An object counts once, even if several places refer to it. */
  readonly #counted = new Set<PDFObject>();

  /**
   * Removes active content from an object and from everything inside the object. This function is not recursive,
   * because a file could nest its objects arbitrarily deep.
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

  /** Removes active content that can only be in the catalog. */
  fromCatalog(catalog: PDFDict): void {
    const names = getDict(catalog, 'Names');
    for (const tree of ['JavaScript', 'EmbeddedFiles', 'Renditions', 'AlternatePresentations'])
      names?.delete(PDFName.of(tree));
    // `Collection` lists the attached files. `Requirements` asks for a program that runs scripts.
    for (const key of ['Collection', 'Requirements']) catalog.delete(PDFName.of(key));
    this.#fromOpening(catalog);
    // PDF readers prepend this base to URLs without a scheme, so an unsafe base is removed.
    const addresses = getDict(catalog, 'URI');
    const base = get(addresses, 'Base');
    if (!addresses || !base || isOpened(base)) return;
    this.#count('action', addresses);
    addresses.delete(PDFName.of('Base'));
  }

  /**
   * If actions run when the file is opened, removes these actions. Keeps only the page that the first of them displays.
   */
  #fromOpening(catalog: PDFDict): void {
    const opening = asAction(get(catalog, 'OpenAction'));
    const place = getName(opening, 'S') === 'GoTo' ? opening?.get(PDFName.of('D')) : undefined;
    if (!opening || (place && !get(opening, 'Next'))) return;
    this.#count('action', opening);
    // Sets a new entry instead of changing the action, because a bookmark may use the same action.
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
      // In a tree of names or numbers, keys and values alternate.
      const isValue =
        before instanceof PDFString || before instanceof PDFHexString || before instanceof PDFNumber;
      if (isValue) array.set(index, PDFNull);
      else array.remove(index);
    }
  }

  /**
   * Whether to remove the value of an entry. The value is examined as well as the key, because the keys of resources
   * are arbitrary.
   */
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
      // Removes the reference to a removed annotation. The note that has this reference stays.
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

  /**
   * Whether the value contains actions that start without a click, for example when a page opens or when the pointer
   * moves over a field.
   */
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
    // Whether the object is the pop-up window of a note on a removed annotation.
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
