import { PDFDict, PDFHexString, type PDFObject, PDFString } from '@cantoo/pdf-lib';
import { get, getName } from './objects.ts';

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

/** Whether a dictionary is an action (PDF 32000-1, 12.6), by its type, which may be left out, or its name. */
export function isAction(object: PDFObject | undefined): object is PDFDict {
  if (!(object instanceof PDFDict)) return false;
  const name = getName(object, 'S');
  return (
    name !== undefined && (clicked.has(name) || removed.has(name) || getName(object, 'Type') === 'Action')
  );
}

/** What kind an action is of, if it goes even where a click starts it. Actions that are not known go, too. */
export function removedKind(action: PDFDict): ActiveKind | undefined {
  const name = getName(action, 'S') ?? '';
  if (name === 'URI') return isOpened(action) ? undefined : 'action';
  if (name === 'Named') return turningPages.includes(getName(action, 'N')) ? undefined : 'action';
  if (name === 'GoToR') return namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  // Without a file, the thread is of the same document.
  if (name === 'Thread')
    return !get(action, 'F') || namesFileNextToIt(get(action, 'F')) ? undefined : 'action';
  return clicked.has(name) ? undefined : (removed.get(name) ?? 'action');
}

/** Whether a link is one that a browser opens, and not a script or a file of the person's own. */
function isOpened(action: PDFDict): boolean {
  // Browsers skip spaces and control characters within a scheme.
  const address = textOf(get(action, 'URI'))?.replace(/[^!-~]/g, '');
  return address !== undefined && !/^(javascript|vbscript|data|file):/i.test(address);
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
