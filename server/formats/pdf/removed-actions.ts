import { PDFDict, PDFHexString, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { asDict, get, getName } from './objects.ts';

/** The kinds of activity of a PDF reader that go beyond displaying the file. */
export type ActiveKind = 'script' | 'action' | 'attachment' | 'media';

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
export function asAction(object: PDFObject | undefined): PDFDict | undefined {
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
export function removedKind(action: PDFDict): ActiveKind | undefined {
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
export function isOpened(uri: PDFObject | undefined): boolean {
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
