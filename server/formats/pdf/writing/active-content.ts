import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFNull,
  PDFNumber,
  type PDFObject,
  PDFStream,
  PDFString,
} from '@cantoo/pdf-lib';
import { asDict, asName, get, getDict, getName } from '../objects.ts';

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

/** The kinds of activity of a PDF reader that go beyond displaying the file. */
type ActiveKind = 'script' | 'action' | 'attachment' | 'media';

/** Types of actions that are kept if they are started by a click. */
const clicked: ReadonlySet<string> = new Set([
  'GoTo',
  'GoToDp',
  'GoToR',
  'Hide',
  'Named',
  'ResetForm',
  'SetOCGState',
  'Thread',
  'Trans',
  'URI',
]);

const removed: ReadonlyMap<string, ActiveKind> = new Map([
  ['JavaScript', 'script'],
  ['Launch', 'action'],
  ['SubmitForm', 'action'],
  ['ImportData', 'action'],
  ['GoToE', 'action'],
  ['Sound', 'media'],
  ['Movie', 'media'],
  ['Rendition', 'media'],
  ['RichMediaExecute', 'media'],
  ['GoTo3DView', 'media'],
]);

/** The named actions that are kept. All others are menu commands of the viewing program. */
const turningPages: readonly (string | undefined)[] = ['NextPage', 'PrevPage', 'FirstPage', 'LastPage'];

/**
 * Returns an object as an action dictionary (PDF 32000-1, 12.6); undefined if it is not an action. It is recognized by
 * its /Type, which is optional, or by the name of a known action. For a stream, returns the stream's dictionary,
 * because some programs accept it as an action.
 */
function asAction(object: PDFObject | undefined): PDFDict | undefined {
  const action = asDict(object);
  const name = getName(action, 'S');
  const isOne =
    name !== undefined && (clicked.has(name) || removed.has(name) || getName(action, 'Type') === 'Action');
  return isOne ? action : undefined;
}

/**
 * Returns the kind of an action that is removed even if it is started by a click; undefined if it may be kept. Unknown
 * actions are removed.
 */
function removedKind(action: PDFDict): ActiveKind | undefined {
  const name = getName(action, 'S') ?? '';
  if (name === 'URI') return isOpened(get(action, 'URI')) ? undefined : 'action';
  if (name === 'Named') return turningPages.includes(getName(action, 'N')) ? undefined : 'action';
  if (name === 'GoToR') return namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  // If no file is given, the thread is in the same document.
  if (name === 'Thread')
    return !get(action, 'F') || namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  return clicked.has(name) ? undefined : (removed.get(name) ?? 'action');
}

/** URL schemes of scripts, of local or shared files, and of programs that are part of Windows. */
const refusedSchemes = /^(javascript|vbscript|data|file|smb|search|search-ms|ms-[a-z-]+):/i;

/**
 * Whether opening the URL leads to a web page or a harmless program, not to a script, a file or a program of Windows.
 */
function isOpened(uri: PDFObject | undefined): boolean {
  // Browsers ignore spaces and control characters inside a scheme.
  const address = textOf(uri)?.replace(/[^!-~]/g, '');
  // A URL that starts with two slashes, without a scheme, refers to a file share.
  return address !== undefined && !refusedSchemes.test(address) && !/^[\\/]{2}/.test(address);
}

/**
 * Whether all paths of a file specification are relative. An absolute path may refer to an attacker's file share, which
 * would receive the user's credentials.
 */
function namesFileNextToIt(file: PDFObject | undefined): boolean {
  if (!(file instanceof PDFDict)) return isRelative(file);
  const paths = ['F', 'UF', 'DOS', 'Mac', 'Unix'].map((key) => get(file, key)).filter((path) => path);
  return getName(file, 'FS') === undefined && paths.length > 0 && paths.every(isRelative);
}

function isRelative(path: PDFObject | undefined): boolean {
  const text = textOf(path)?.trim();
  return text !== undefined && text !== '' && !/^[\\/]|:/.test(text);
}

function textOf(object: PDFObject | undefined): string | undefined {
  return object instanceof PDFString || object instanceof PDFHexString ? object.decodeText() : undefined;
}
