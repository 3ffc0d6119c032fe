import { PDFDict, PDFHexString, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { asDict, get, getName } from './objects.ts';

/** What a reading program does or opens for a file, besides showing it. */
export type ActiveKind = 'script' | 'action' | 'attachment' | 'media';

/** Actions that stay, where a click starts them. */
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

/** Other named actions are commands of the program's menu. */
const turningPages: readonly (string | undefined)[] = ['NextPage', 'PrevPage', 'FirstPage', 'LastPage'];

/**
 * An action (PDF 32000-1, 12.6), by its type, which may be left out, or its name. Some programs take the dictionary of a stream where they look
 * for an action.
 */
export function asAction(object: PDFObject | undefined): PDFDict | undefined {
  const action = asDict(object);
  const name = getName(action, 'S');
  const isOne =
    name !== undefined && (clicked.has(name) || removed.has(name) || getName(action, 'Type') === 'Action');
  return isOne ? action : undefined;
}

/** What kind an action is of, if it goes even where a click starts it. Actions that are not known go, too. */
export function removedKind(action: PDFDict): ActiveKind | undefined {
  const name = getName(action, 'S') ?? '';
  if (name === 'URI') return isOpened(get(action, 'URI')) ? undefined : 'action';
  if (name === 'Named') return turningPages.includes(getName(action, 'N')) ? undefined : 'action';
  if (name === 'GoToR') return namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  // Without a file, the thread is of the same document.
  if (name === 'Thread')
    return !get(action, 'F') || namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  return clicked.has(name) ? undefined : (removed.get(name) ?? 'action');
}

/** Schemes of scripts, of files of the person's own or on a share, and of programs that come with Windows. */
const refusedSchemes = /^(javascript|vbscript|data|file|smb|search|search-ms|ms-[a-z-]+):/i;

/** Whether a browser opens an address, and not a script, another program or a file. */
export function isOpened(uri: PDFObject | undefined): boolean {
  // Browsers skip spaces and control characters within a scheme.
  const address = textOf(uri)?.replace(/[^!-~]/g, '');
  // Two slashes without a scheme lead to a share.
  return address !== undefined && !refusedSchemes.test(address) && !/^[\\/]{2}/.test(address);
}

/** Whether a file specification is a relative path: an absolute one may name a share of a stranger, which gets the person's sign-in. */
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
