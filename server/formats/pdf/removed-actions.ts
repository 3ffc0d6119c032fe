import { PDFDict, PDFHexString, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { asDict, get, getName } from './objects.ts';

/** Activity of a PDF reader that goes beyond displaying the file. */
export type ActiveKind = 'script' | 'action' | 'attachment' | 'media';

/** Actions that stay if a click starts them. */
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

/** All other named actions are menu commands of the program. */
const turningPages: readonly (string | undefined)[] = ['NextPage', 'PrevPage', 'FirstPage', 'LastPage'];

/**
 * Returns an object as an action (PDF 32000-1, 12.6), by its type, which is optional, or its name. Some programs accept a
 * stream and use its dictionary as the action.
 */
export function asAction(object: PDFObject | undefined): PDFDict | undefined {
  const action = asDict(object);
  const name = getName(action, 'S');
  const isOne =
    name !== undefined && (clicked.has(name) || removed.has(name) || getName(action, 'Type') === 'Action');
  return isOne ? action : undefined;
}

/** Returns the kind of an action that is removed even if a click starts it. Unknown actions are removed, too. */
export function removedKind(action: PDFDict): ActiveKind | undefined {
  const name = getName(action, 'S') ?? '';
  if (name === 'URI') return isOpened(get(action, 'URI')) ? undefined : 'action';
  if (name === 'Named') return turningPages.includes(getName(action, 'N')) ? undefined : 'action';
  if (name === 'GoToR') return namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  // Without a file, the thread is in the same document.
  if (name === 'Thread')
    return !get(action, 'F') || namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  return clicked.has(name) ? undefined : (removed.get(name) ?? 'action');
}

/** Schemes of scripts, of local or shared files, and of programs that Windows includes. */
const refusedSchemes = /^(javascript|vbscript|data|file|smb|search|search-ms|ms-[a-z-]+):/i;

/** Whether a browser opens the URL, and not a script, another program or a file. */
export function isOpened(uri: PDFObject | undefined): boolean {
  // Browsers ignore spaces and control characters within a scheme.
  const address = textOf(uri)?.replace(/[^!-~]/g, '');
  // Two slashes without a scheme refer to a file share.
  return address !== undefined && !refusedSchemes.test(address) && !/^[\\/]{2}/.test(address);
}

/**
 * Whether a file specification is a relative path. An absolute path may refer to an attacker's file share, which would receive
 * the user's credentials.
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
