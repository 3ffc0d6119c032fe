import { renderAsync } from 'docx-preview';
import { type FromFrame, type TextPlace, type ToFrame, withoutSpaces } from './messages.ts';

/*
 * This script runs in the frame that shows Word files. The frame has an opaque origin without access to anything else,
 * and receives the file in a message from the application.
 */

/** A paragraph, or a text between its tabs, which may be a separate segment. */
interface ShownText {
  paragraph: HTMLElement;
  /** The text without spaces. */
  text: string;
  /** The text nodes of a text between tabs; undefined for a whole paragraph. */
  nodes?: Node[];
}

let texts: ShownText[] = [];
let marked: HTMLElement | undefined;
/** The paragraph to mark. The application may send it before the file is shown. */
let wanted: TextPlace | null = null;

addEventListener('message', ({ source, data }: MessageEvent<ToFrame>) => {
  // Messages from the frame itself are ignored, because the library sends some to its own window.
  if (source !== parent) return;
  if (data.kind === 'file') void show(data.bytes);
  else {
    wanted = data.place;
    mark();
  }
});

addEventListener('click', (event) => {
  // Links in the file do nothing.
  event.preventDefault();
  const target = event.target as Node;
  const clicked = texts.filter(({ paragraph, nodes }) =>
    nodes ? nodes.some((node) => target.contains(node)) : paragraph.contains(target),
  );
  const smallestFirst = clicked.toSorted((one, other) => one.text.length - other.text.length);
  if (clicked.length > 0) tell({ kind: 'open', places: smallestFirst.map(placeOf) });
});

addEventListener('resize', fit);

async function show(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    const content = document.createElement('div');
    await renderAsync(bytes, content, undefined, {
      inWrapper: false,
      // Images as data URLs, because blob URLs would need another permission in the policy.
      useBase64URL: true,
      // Otherwise embedded parts in other formats would become frames with their own markup.
      renderAltChunks: false,
    });
    document.body.replaceChildren(content);
    countPages(content);
    marked = undefined;
    texts = [...content.querySelectorAll('p')].flatMap(textsOf);
    fit();
    mark();
    tell({ kind: 'shown' });
  } catch {
    tell({ kind: 'failed' });
  }
}

// The library reads each part of the file with this method.
const { parseFromString } = DOMParser.prototype;
DOMParser.prototype.parseFromString = function (...input) {
  const part = parseFromString.apply(this, input);
  showFields(part);
  return part;
};

/** Stands for the number of pages in a field that has no result. */
const pageCount = '\uE000';

/**
 * Changes a part of the file so that the library shows the results of fields: it ignores `fldSimple` in a paragraph, and
 * runs that contain a mark of a field together with text. A field NUMPAGES without a result gets `pageCount`.
 */
function showFields(part: Document): void {
  const all = (name: string, from: Document | Element = part) => [...from.getElementsByTagNameNS('*', name)];
  const isNumPages = (code: string) => /^\s*NUMPAGES\b/i.test(code);
  const counted = (like: Element) => {
    const [run, text] = ['w:r', 'w:t'].map((name) => part.createElementNS(like.namespaceURI, name));
    (text as Element).textContent = pageCount;
    (run as Element).append(text as Element);
    return run as Element;
  };
  for (const simple of all('fldSimple')) {
    const code = [...simple.attributes].find(({ localName }) => localName === 'instr')?.value ?? '';
    if (isNumPages(code) && !simple.textContent) simple.append(counted(simple));
    simple.replaceWith(...simple.childNodes);
  }
  let [code, result] = ['', ''];
  for (const element of all('*')) {
    const { localName, parentElement: run, textContent } = element;
    const type = [...element.attributes].find((one) => one.localName === 'fldCharType')?.value;
    if (localName === 'instrText') code += textContent;
    else if (localName === 't') result += textContent;
    else if (type === 'begin') [code, result] = ['', ''];
    else if (type === 'separate') result = '';
    else if (type === 'end') {
      if (isNumPages(code) && !result) run?.before(counted(element));
      code = '';
    }
  }
  for (const run of all('r'))
    if (all('t', run).length > 0)
      for (const one of [...all('fldChar', run), ...all('instrText', run)]) one.remove();
}

/** Replaces each `pageCount` by the number of pages that are shown. */
function countPages(content: HTMLElement): void {
  const pages = String(content.querySelectorAll('section').length);
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.textContent === pageCount) node.textContent = pages;
}

/** The text node by which the library shows a tab. */
const tab = '\u2003';

/** Returns the text of a paragraph, and the texts between its tabs. */
function textsOf(paragraph: HTMLElement): ShownText[] {
  const whole = withoutSpaces(paragraph.textContent);
  const between: Node[][] = [[]];
  const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (node.textContent === tab) between.push([]);
    else between.at(-1)?.push(node);
  const parts = between.map((nodes) => ({
    paragraph,
    text: withoutSpaces(nodes.map(({ textContent }) => textContent).join('')),
    nodes,
  }));
  return [{ paragraph, text: whole }, ...parts.filter(({ text }) => text !== whole)].filter(
    ({ text }) => text !== '',
  );
}

function placeOf(shown: ShownText): TextPlace {
  const { paragraph, text, nodes } = shown;
  return {
    text: nodes ? nodes.map(({ textContent }) => textContent).join('') : paragraph.innerText,
    occurrence: texts.slice(0, texts.indexOf(shown)).filter((other) => other.text === text).length,
  };
}

/** Makes the pages as wide as the frame. */
function fit(): void {
  const page = document.querySelector<HTMLElement>('section');
  if (!page) return;
  document.body.style.zoom = '1';
  document.body.style.zoom = String(Math.min(1, innerWidth / page.offsetWidth));
}

function mark(): void {
  marked?.removeAttribute('data-marked');
  marked = undefined;
  if (!wanted) return;
  const text = withoutSpaces(wanted.text);
  // A segment does not contain the results of fields, which are mostly numbers.
  const withoutNumbers = (of: string) => of.replaceAll(/\p{N}+/gu, '');
  const exact = texts.filter((shown) => shown.text === text);
  const same =
    exact.length > 0 ? exact : texts.filter((shown) => withoutNumbers(shown.text) === withoutNumbers(text));
  marked = (same[wanted.occurrence] ?? same[0])?.paragraph;
  marked?.setAttribute('data-marked', '');
  if (!marked) return;
  // Scrolls only this frame: `scrollIntoView` would also scroll the application around it.
  const { top, bottom } = marked.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) scrollBy(0, top - innerHeight / 3);
}

function tell(message: FromFrame): void {
  // The target is `*`, because the origin of this frame is opaque. Only this service may embed the frame.
  parent.postMessage(message, '*');
}

const style = document.createElement('style');
style.textContent = `
  body { margin: 0; color: #000; background: #fff; }
  section { box-sizing: border-box; margin-bottom: 8px; box-shadow: 0 1px 0 #ccc; }
  p { cursor: pointer; }
  [data-marked] { outline: 2px solid #1a56b0; outline-offset: 1px; background: #ffd60055; }
`;
document.head.append(style);
tell({ kind: 'ready' });
