import { renderAsync } from 'docx-preview';
import { type FromFrame, type ParagraphPlace, type ToFrame, withoutSpaces } from './messages.ts';

/*
 * This script runs in the frame that shows Word files. The frame has an opaque origin without access to anything else,
 * and receives the file in a message from the application.
 */

let paragraphs: { element: HTMLElement; text: string }[] = [];
let marked: HTMLElement | undefined;
/** The paragraph to mark. The application may send it before the file is shown. */
let wanted: ParagraphPlace | null = null;

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
  const index = paragraphs.findLastIndex(({ element }) => element.contains(event.target as Node));
  const clicked = paragraphs[index];
  if (!clicked || clicked.text === '') return;
  const before = paragraphs.slice(0, index).filter(({ text }) => text === clicked.text);
  tell({ kind: 'open', place: { text: clicked.element.innerText, occurrence: before.length } });
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
    marked = undefined;
    paragraphs = [...content.querySelectorAll('p')].map((element) => ({
      element,
      text: withoutSpaces(element.textContent),
    }));
    fit();
    mark();
    tell({ kind: 'shown' });
  } catch {
    tell({ kind: 'failed' });
  }
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
  const same = paragraphs.filter((paragraph) => paragraph.text === text);
  marked = (same[wanted.occurrence] ?? same[0])?.element;
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
